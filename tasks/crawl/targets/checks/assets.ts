import { sql } from '../../../../sql/pool.ts'
import { EAGER, IMAGE, SCRIPT, SOLE, STYLE } from '../uses.ts'
import { broken, image, link, script, style, type TargetCheck, using, works } from './check.ts'

/** Bytes, as transferred. */
const SCRIPT_BYTES = 250_000
const STYLE_BYTES = 150_000
const PAGE_BYTES = 2_500_000
/** A day, in seconds. */
const LIFETIME = 86_400

/** Scripts and style sheets, and what all of it weighs. */
export const assetChecks: readonly TargetCheck[] = [
  {
    code: 'asset_broken',
    severity: 'major',
    about: 'The page needs a script or style sheet of the site that is not there.',
    fix: 'Put the file back, correct its address, or remove the tag.',
    finds: using(SCRIPT | STYLE, sql.fragment`internal and ${broken}`),
    examples: {
      bad: [[script({ status: 404 })], [style({ status: 500 })], [style({ contentType: 'text/html' })]],
      good: [
        [script(), style()],
        [script({ status: 404, internal: false })],
        [style({ status: 403 })],
        [script({ status: null })],
        [image({ status: 404 })],
      ],
    },
  },
  {
    code: 'assets_too_large',
    severity: 'minor',
    about: 'The page loads a script of more than 250 kB or a style sheet of more than 150 kB.',
    fix: 'Compress the file, remove what no page needs, and load the rest only where it is used.',
    finds: using(
      SCRIPT | STYLE,
      sql.fragment`bytes > case when uses & ${STYLE}::int <> 0 then ${STYLE_BYTES}::int else ${SCRIPT_BYTES}::int end and ${works}`,
    ),
    examples: {
      bad: [
        [script({ bytes: 250_001 })],
        [style({ bytes: 150_001 })],
        [script({ bytes: 250_001, internal: false })],
      ],
      good: [
        [script({ bytes: 250_000 }), style({ bytes: 150_000 })],
        [script()],
        [image({ bytes: 300_000 })],
      ],
    },
  },
  {
    code: 'cache_missing',
    severity: 'minor',
    about:
      'Browsers may not keep a script, style sheet or image of the site for a day: they load it again and again.',
    fix: 'Serve files with `Cache-Control: max-age=31536000` and change their names when they change.',
    finds: using(SCRIPT | STYLE | IMAGE, sql.fragment`internal and lifetime < ${LIFETIME} and ${works}`),
    examples: {
      bad: [[script({ lifetime: 0 })], [style({ lifetime: 86_399 })], [image({ lifetime: 60 })]],
      good: [
        [script({ lifetime: 86_400 }), image({ lifetime: 31_536_000 })],
        [image({ lifetime: 0, internal: false })],
        [image({ lifetime: 0, status: 404 })],
        [link({ lifetime: 0 })],
      ],
    },
  },
  {
    code: 'page_weight_large',
    severity: 'minor',
    about: 'The page and the scripts, style sheets and images that load with it have more than 2.5 MB.',
    fix: 'Scale and compress images, load those further down with `loading="lazy"`, and remove unneeded scripts.',
    finds: (crawlId) => sql.fragment`
      select p.id
        from pages p
        join (
          select m.url_key, sum(t.bytes) as bytes
            from page_targets m cross join unnest(m.targets, m.uses) as u (target, uses)
            join targets t on t.crawl_id = ${crawlId} and t.id = u.target and t.bytes > 0 and ${works}
           where m.crawl_id = ${crawlId} and u.uses & ${EAGER}::int <> 0
           group by m.url_key
        ) m on m.url_key = p.url_key
       where p.crawl_id = ${crawlId} and p.bytes + m.bytes > ${PAGE_BYTES}`,
    examples: {
      bad: [[image({ bytes: 2_500_000 }), script({ bytes: 1 })]],
      good: [
        [image({ bytes: 2_400_000 })],
        [image({ bytes: 3_000_000, uses: IMAGE | SOLE })],
        [image({ bytes: 3_000_000, status: 404 })],
        [link({ bytes: 3_000_000 })],
      ],
    },
  },
  {
    code: 'resource_blocked',
    severity: 'moderate',
    about: 'robots.txt keeps search engines from a script or style sheet of the page: they see it without.',
    fix: 'Allow the folders of scripts and style sheets in robots.txt.',
    finds: using(SCRIPT | STYLE, sql.fragment`closed`),
    examples: {
      bad: [[script({ closed: true })], [script(), style({ closed: true, status: null })]],
      good: [[script(), style()], [image()]],
    },
  },
]
