import { hasSignalConflict } from '../content-signals.ts'
import type { Page } from '../view.ts'
import type { Example, PageCheck, ResponseCheck } from './check.ts'

const robots = (content: string) => `<meta name="robots" content="${content}"><p>text</p>`
const header = (value: string): Example => ({ headers: { 'x-robots-tag': value }, html: '<p>text</p>' })

const signals = (robotsText: string) => ({ isStart: true, robotsText, html: '<p>text</p>' })

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
    fix: 'Nothing, if the page is to stay out of search; otherwise remove the noindex.',
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
    fix: 'Nothing, if it is meant; otherwise remove noindex from the X-Robots-Tag header in the server’s configuration.',
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
    fix: 'Remove the Disallow rule that matches, or stop linking and listing the page.',
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
    fix: 'Nothing, if it is meant; otherwise remove nofollow from the robots tag or header.',
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
    fix: 'Nothing, if it is meant; otherwise remove nosnippet or max-snippet:0.',
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
    fix: 'Nothing, if it is meant; otherwise remove noimageindex.',
    finds: says(/^noimageindex$/),
    examples: { bad: [robots('noimageindex')], good: [robots('max-image-preview:large')] },
  },
  {
    code: 'unavailable_after_past',
    severity: 'moderate',
    about: 'The date after which search engines drop the page has passed.',
    fix: 'Remove unavailable_after or set a later date; if the offer is over, answer with 410.',
    finds: ({ facts, headerRobots }) => isPast(facts.robots) || isPast(headerRobots),
    examples: {
      bad: [
        robots('unavailable_after: 2010-06-25'),
        header('unavailable_after: 25 Jun 2010 15:00:00 GMT'),
        robots('noarchive, unavailable_after: Friday, 25-Jun-10 15:00:00 GMT, nosnippet'),
      ],
      good: [robots('unavailable_after: 2999-01-01'), robots('unavailable_after: soon')],
    },
  },
  {
    code: 'meta_in_body',
    severity: 'moderate',
    about:
      'Robots, description, canonical or hreflang tags stand in the body, where most of them count for nothing.',
    fix: 'Move the tags into the head, and whatever ends the head early behind them.',
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

  {
    code: 'robots_conflict',
    severity: 'moderate',
    about: 'The page contradicts itself: robots tag and header disagree, or robots.txt hides a noindex.',
    fix: 'Decide whether the page is to be found and say it once; a noindex is only read when robots.txt lets crawlers in.',
    finds: ({ facts, headerRobots, isNoindex, visit: { robotsAllowed } }) =>
      (isNoindex && !robotsAllowed) ||
      disagree(facts.robots, headerRobots) ||
      disagree(headerRobots, facts.robots),
    examples: {
      bad: [
        { robotsAllowed: false, html: robots('noindex') },
        { headers: { 'x-robots-tag': 'noindex' }, html: robots('index, follow') },
        { headers: { 'x-robots-tag': 'all' }, html: robots('none') },
        { headers: { 'x-robots-tag': 'nofollow' }, html: robots('follow') },
      ],
      good: [
        { robotsAllowed: false, html: '<p>text</p>' },
        { headers: { 'x-robots-tag': 'noindex' }, html: robots('noindex, follow') },
        { headers: { 'x-robots-tag': 'noarchive' }, html: robots('index') },
        header('noindex'),
        robots('noindex'),
      ],
    },
  },
  {
    code: 'content_signal_conflict',
    severity: 'minor',
    of: 'start',
    about:
      'robots.txt welcomes a use of the content (Content-Signal) and shuts out a crawler that is there for it.',
    fix: 'Let Content-Signal and the Disallow rules say the same.',
    finds: ({ visit: { robotsText } }) => robotsText !== undefined && hasSignalConflict(robotsText),
    examples: {
      bad: [
        signals('User-agent: *\nContent-Signal: ai-train=yes\nAllow: /\n\nUser-agent: GPTBot\nDisallow: /'),
        signals('User-agent: OAI-SearchBot\nContent-Signal: search=yes\nDisallow: /'),
      ],
      good: [
        signals(
          'User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n\nUser-agent: GPTBot\nDisallow: /',
        ),
        signals('User-agent: *\nContent-Signal: ai-train=yes\nDisallow: /private'),
        signals(
          'User-agent: PerplexityBot\nContent-Signal: search=yes\nAllow: /\n\nUser-agent: Bingbot\nDisallow: /',
        ),
        signals('User-agent: GPTBot\nDisallow: /'),
      ],
    },
  },
]

/** Directives have been parted at commas; some ways to write a date have one. */
function isPast(directives: readonly string[]): boolean {
  const date = /(?:^|, )unavailable_after\s*:\s*((?:[a-z]+, )?[^,]+)/.exec(directives.join(', '))?.[1]
  return date !== undefined && Date.parse(date) < Date.now()
}

/** The first permits what the second forbids. */
function disagree(first: readonly string[], second: readonly string[]): boolean {
  const has = (all: readonly string[], ...names: string[]) => names.some((name) => all.includes(name))
  return (
    (has(first, 'index', 'all') && has(second, 'noindex', 'none')) ||
    (has(first, 'follow', 'all') && has(second, 'nofollow', 'none'))
  )
}
