import { sql } from '../../../../sql/pool.ts'
import { LINK } from '../uses.ts'
import { away, image, link, refused, type TargetCheck, using, works } from './check.ts'

/** Links that leave the site. */
export const linkTargetChecks: readonly TargetCheck[] = [
  {
    code: 'link_external_broken',
    severity: 'moderate',
    about: 'The page links to a page of another site that does not exist any more or cannot be reached.',
    fix: 'Link to where the content is now, or remove the link.',
    finds: using(
      LINK,
      sql.fragment`not internal and (${away} or status in (404, 410) or status >= 500 and not ${refused})`,
    ),
    examples: {
      bad: [
        [link({ status: 404 })],
        [link({ status: 410 })],
        [link(), link({ status: 503 })],
        [link({ status: 0, fault: 'dns' })],
        [link({ status: 0, fault: 'connection' })],
      ],
      good: [
        [link()],
        [link({ status: 403 }), link({ status: 429 }), link({ status: 401 }), link({ status: 999 })],
        [link({ status: 503, fault: 'challenge' })],
        [link({ status: 0, fault: 'timeout' })],
        [link({ status: 0, fault: 'forbidden' })],
        [link({ status: 302, fault: 'redirects' })],
        [link({ status: null })],
        [image({ status: 404, internal: false })],
        [],
      ],
    },
  },
  {
    code: 'link_external_blocked',
    severity: 'minor',
    scored: false,
    about:
      'The page links to a page of another site that lets no robots in, so nobody can say whether it is there.',
    fix: 'Nothing; open the link in a browser now and then.',
    finds: using(LINK, sql.fragment`not internal and ${refused}`),
    examples: {
      bad: [[link({ status: 403 })], [link({ status: 429 })], [link({ status: 503, fault: 'challenge' })]],
      good: [
        [link()],
        [link({ status: 404 })],
        [link({ status: null })],
        [image({ status: 403, internal: false })],
      ],
    },
  },
  {
    code: 'link_external_redirect',
    severity: 'minor',
    about: 'The page links to a page of another site that has moved for good.',
    fix: 'Link to the new address.',
    finds: using(LINK, sql.fragment`not internal and redirect in (301, 308) and ${works}`),
    examples: {
      bad: [[link({ redirect: 301 })], [link({ redirect: 308 })]],
      good: [[link()], [link({ redirect: 302 })], [link({ redirect: 301, status: 404 })]],
    },
  },
]
