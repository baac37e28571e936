import type { PageCheck, ResponseCheck } from './check.ts'

const moved = (status: number, location: string) => ({ status, headers: { location }, html: null })

/** Redirects as one answer shows them; chains and loops are judged over the whole site. */
export const redirectChecks: ResponseCheck[] = [
  {
    code: 'redirect_internal',
    severity: 'minor',
    scored: false,
    about: 'An address of the site redirects: links could lead straight to its target.',
    fix: 'Link to the target of the redirect.',
    finds: ({ visit: { status, isStart } }) => status >= 300 && status < 400 && !isStart,
    examples: {
      bad: [moved(301, '/new'), moved(302, '/new')],
      good: ['<p>here</p>', { ...moved(301, 'https://www.example.test/'), isStart: true }],
    },
  },
  {
    code: 'redirect_temporary',
    severity: 'moderate',
    about: 'The redirect is temporary (302, 303 or 307): search engines may keep the old address.',
    fix: 'If the move is for good, answer with 301 or 308.',
    finds: ({ visit: { status } }) => status === 302 || status === 303 || status === 307,
    examples: {
      bad: [moved(302, '/new'), moved(307, '/new')],
      good: [moved(301, '/new'), moved(308, '/new')],
    },
  },
  {
    code: 'redirect_downgrade',
    severity: 'major',
    about: 'A redirect leads from https to http.',
    fix: 'Redirect to the https address.',
    finds: ({ visit: { url }, redirect }) =>
      url.protocol === 'https:' && redirect !== null && redirect.startsWith('http:'),
    examples: {
      bad: [moved(301, 'http://example.test/new')],
      good: [
        moved(301, 'https://example.test/new'),
        moved(301, '/new'),
        { ...moved(301, 'http://b.test/'), url: 'http://example.test/' },
      ],
    },
  },
]

export const refreshChecks: PageCheck[] = [
  {
    code: 'redirect_meta_refresh',
    severity: 'moderate',
    about: 'The page sends readers on with a meta refresh instead of an HTTP redirect.',
    fix: 'Answer with 301 and a Location header instead.',
    finds: ({ facts, visit }) => facts.refresh?.url != null && facts.refresh.url !== visit.url.href,
    examples: {
      bad: [
        '<meta http-equiv="refresh" content="0; url=/new">',
        '<META HTTP-EQUIV=Refresh CONTENT="5;URL=\'https://other.test/\'">',
      ],
      good: [
        '<meta http-equiv="refresh" content="300">',
        '<meta http-equiv="refresh" content="30; url=/page">',
        '<noscript><meta http-equiv="refresh" content="0; url=/plain"></noscript>',
      ],
    },
  },
]
