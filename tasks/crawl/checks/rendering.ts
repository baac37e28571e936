import type { Facts } from '../facts.ts'
import { EAGER, IMAGE } from '../targets/uses.ts'
import type { PageCheck } from './check.ts'

/** Words of the rendered page, words that scripts add, and the share that must be there without them. */
const RENDERED = 200
const ADDED = 100
const PLAIN = 0.6
const REQUESTS = 75

const words = (count: number) => `<p>${'word '.repeat(count)}</p>`
const page = (title: string, rest = '<h1>Shoes</h1>') => `<title>${title}</title>${rest}`

/** What search engines read first and may act upon before they run a script. */
const says = ({ title, metaDescription, headings, canonicals, robots }: Facts) =>
  JSON.stringify([
    title,
    metaDescription,
    headings.find(({ level, text }) => level === 1 && text !== '')?.text,
    canonicals[0]?.url,
    robots.toSorted(),
  ])

/** What scripts make of a page; found on pages that were rendered. */
export const renderingChecks: PageCheck[] = [
  {
    code: 'content_js_only',
    severity: 'moderate',
    about:
      'Most of the text appears only after scripts have run; many crawlers, those of AI among them, run none.',
    fix: 'Render the content on the server or at build time, so that it is in the HTML.',
    finds({ facts, visit: { plain } }) {
      if (!plain) return false
      const [before, after] = [plain.text.mainWords, facts.text.mainWords]
      return after >= RENDERED && after - before >= ADDED && before < PLAIN * after
    },
    examples: {
      bad: [
        { plain: '<div id=root></div>', html: words(200) },
        { plain: words(119), html: words(219) },
      ],
      good: [
        { plain: words(120), html: words(200) },
        { plain: words(101), html: words(200) },
        { plain: '<div id=root></div>', html: words(199) },
        words(300),
      ],
    },
  },
  {
    code: 'content_render_diff',
    severity: 'minor',
    about: 'Scripts change the title, description, first heading, canonical address or robots directives.',
    fix: 'Send these in the HTML as they are to be; let scripts leave them alone.',
    finds: ({ facts, visit: { plain } }) => plain !== undefined && says(plain) !== says(facts),
    examples: {
      bad: [
        { plain: page('Loading…'), html: page('Shoes') },
        { plain: page('Shoes', ''), html: page('Shoes') },
        { plain: page('Shoes'), html: page('Shoes', '<link rel=canonical href=/b><h1>Shoes</h1>') },
        { plain: page('Shoes'), html: `<meta name=robots content=noindex>${page('Shoes')}` },
        { plain: page('Shoes'), html: `<meta name=description content=New>${page('Shoes')}` },
      ],
      good: [{ plain: page('Shoes'), html: page(' Shoes\n', '<h1>Shoes</h1><p>More</p>') }, page('Shoes')],
    },
  },
  {
    code: 'page_requests_many',
    severity: 'minor',
    about: 'The page makes more than 75 requests while it loads.',
    fix: 'Bundle scripts and styles, load pictures below the first screen lazily, and drop third parties nobody needs.',
    // The browser that renders leaves pictures out.
    finds: ({ facts, visit: { requests } }) =>
      requests !== undefined &&
      requests + facts.resources.filter(({ uses }) => (uses & IMAGE) > 0 && (uses & EAGER) > 0).length >
        REQUESTS,
    examples: {
      bad: [
        { requests: 76, html: '<p>text' },
        { requests: 75, html: '<img src=a alt="">' },
      ],
      good: [
        { requests: 75, html: '<img src=a alt="" loading=lazy>' },
        { requests: 74, html: '<img src=a alt=""><img src=a alt="">' },
        '<p>not rendered',
      ],
    },
  },
]
