import type { Page } from '../view.ts'
import type { Example, PageCheck, ResponseCheck } from './check.ts'

const robots = (content: string) => `<meta name="robots" content="${content}"><p>text</p>`
const header = (value: string): Example => ({ headers: { 'x-robots-tag': value }, html: '<p>text</p>' })

const says = (wanted: RegExp) => (page: Page) =>
  page.facts.robots.some((directive) => wanted.test(directive)) ||
  page.headerRobots.some((directive) => wanted.test(directive))

/** Whether search engines may index a page, as its answer says. */
export const indexingChecks: ResponseCheck[] = [
  {
    code: 'noindex',
    severity: 'minor',
    scored: false,
    about: 'The page asks search engines not to index it.',
    finds: ({ isNoindex }) => isNoindex,
    examples: {
      bad: [
        robots('noindex'),
        robots('NONE'),
        robots('max-snippet:20, noindex'),
        '<meta name=Googlebot content="noindex">',
        '<p>text</p><meta name="robots" content="noindex">',
        header('noindex'),
        header('googlebot: noindex, nofollow'),
      ],
      good: [
        robots('index, follow'),
        robots('noindexing'),
        '<meta name="bingbot" content="noindex">',
        '<template><meta name=robots content=noindex></template>',
        header('otherbot: noindex, nofollow'),
        header('max-snippet: 10'),
        { status: 404, html: null, headers: { 'x-robots-tag': 'noindex' } },
      ],
    },
  },
  {
    code: 'noindex_header',
    severity: 'minor',
    scored: false,
    about: 'The noindex comes with the X-Robots-Tag header, where it is easily overlooked.',
    finds: ({ ok, headerRobots }) =>
      ok && headerRobots.some((directive) => directive === 'noindex' || directive === 'none'),
    examples: {
      bad: [
        header('noindex'),
        header('none'),
        { contentType: 'application/pdf', html: null, headers: { 'x-robots-tag': 'noindex' } },
      ],
      good: [robots('noindex'), header('otherbot: noindex'), header('nofollow')],
    },
  },
  {
    code: 'robots_blocked',
    severity: 'moderate',
    about: 'robots.txt keeps search engines from the page.',
    // What cannot be fetched has no robots.txt that could be either: one fault is not told twice.
    finds: ({ visit: { robotsAllowed, fault } }) => !robotsAllowed && fault === null,
    examples: {
      bad: [{ robotsAllowed: false, html: '<p>text</p>' }],
      good: ['<p>text</p>', { robotsAllowed: false, status: 0, fault: 'dns', html: null }],
    },
  },
]

/** What else a page tells search engines to leave. */
export const directiveChecks: PageCheck[] = [
  {
    code: 'nofollow_page',
    severity: 'minor',
    scored: false,
    about: 'The page asks search engines to follow none of its links.',
    finds: says(/^(nofollow|none)$/),
    examples: {
      bad: [robots('nofollow'), robots('none'), header('nofollow')],
      good: [robots('noindex'), '<a rel=nofollow href=/a>a</a>'],
    },
  },
  {
    code: 'nosnippet',
    severity: 'minor',
    scored: false,
    about: 'The page forbids search results to show a snippet of it.',
    finds: says(/^(nosnippet|max-snippet\s*:\s*0)$/),
    examples: {
      bad: [robots('nosnippet'), robots('max-snippet:0'), header('max-snippet: 0')],
      good: [robots('max-snippet:-1'), robots('all')],
    },
  },
  {
    code: 'noimageindex',
    severity: 'minor',
    scored: false,
    about: 'The page asks search engines not to index its images.',
    finds: says(/^noimageindex$/),
    examples: { bad: [robots('noimageindex')], good: [robots('max-image-preview:large')] },
  },
  {
    code: 'unavailable_after_past',
    severity: 'moderate',
    about: 'The date after which search engines drop the page has passed.',
    finds: ({ facts, headerRobots }) => [...facts.robots, ...headerRobots].some(isPast),
    examples: {
      bad: [robots('unavailable_after: 2010-06-25'), header('unavailable_after: 25 Jun 2010 15:00:00 GMT')],
      good: [robots('unavailable_after: 2999-01-01'), robots('unavailable_after: soon')],
    },
  },
  {
    code: 'meta_in_body',
    severity: 'moderate',
    about:
      'Robots, description, canonical or hreflang tags stand in the body, where most of them count for nothing.',
    finds: ({ facts }) => facts.strayTags > 0,
    examples: {
      bad: [
        '<p>text</p><meta name="description" content="x">',
        '<head><div></div><link rel="canonical" href="/page"></head>',
        '<head>text<meta name="robots" content="all"></head>',
      ],
      good: [
        '<head></head><link rel="canonical" href="/page"><body><p>text</p>',
        '<body><div itemscope><meta itemprop="price" content="1"></div>',
        '<head><noscript><img src=a></noscript><link rel="canonical" href="/page"></head>',
      ],
    },
  },
]

function isPast(directive: string): boolean {
  const date = /^unavailable_after\s*:\s*(.+)$/.exec(directive)?.[1]
  return date !== undefined && Date.parse(date) < Date.now()
}
