import { normalise } from '../url.ts'
import type { PageCheck } from './check.ts'

const NEEDED = ['title', 'description', 'image', 'url', 'type']
const CARDS = ['summary', 'summary_large_image', 'app', 'player']

const og = (...names: string[]) => names.map((name) => `<meta property="og:${name}" content="x">`).join('')
const card = (kind: string) => `<meta name="twitter:card" content="${kind}">`

/** What a page shows of itself when it is shared. */
export const socialChecks: PageCheck[] = [
  {
    code: 'og_missing',
    severity: 'minor',
    of: 'indexable',
    about: 'The page has no Open Graph tags.',
    fix: 'Add og:title, og:description, og:image, og:url and og:type.',
    finds: ({ facts }) => Object.keys(facts.openGraph).length === 0,
    examples: {
      bad: ['<p>text</p>', '<meta property="og:title" content="">'],
      good: [og('title'), '<meta name="OG:title" content="x">'],
    },
  },
  {
    code: 'og_incomplete',
    severity: 'minor',
    of: 'indexable',
    about: 'The Open Graph tags lack title, description, image, url or type.',
    fix: 'Add those of og:title, og:description, og:image, og:url and og:type that are missing.',
    finds: ({ facts }) =>
      Object.keys(facts.openGraph).length > 0 && NEEDED.some((name) => !(name in facts.openGraph)),
    examples: { bad: [og('title', 'image')], good: [og(...NEEDED), '<p>none</p>'] },
  },
  {
    code: 'twitter_card_missing',
    severity: 'minor',
    of: 'indexable',
    about: 'The page has neither a twitter:card nor Open Graph tags to stand in for it.',
    fix: 'Add `<meta name="twitter:card" content="summary_large_image">`, or Open Graph tags.',
    finds: ({ facts }) => facts.twitterCard === null && !('title' in facts.openGraph),
    examples: { bad: ['<p>text</p>'], good: [card('summary'), og('title')] },
  },
  {
    code: 'twitter_card_invalid',
    severity: 'minor',
    about: 'The twitter:card is of no known kind.',
    fix: 'Use summary, summary_large_image, app or player.',
    finds: ({ facts }) => facts.twitterCard !== null && !CARDS.includes(facts.twitterCard.toLowerCase()),
    examples: { bad: [card('photo')], good: [card('summary_large_image'), '<p>none</p>'] },
  },

  {
    code: 'og_url_mismatch',
    severity: 'minor',
    about: 'og:url is another address than the canonical one: shares are counted apart.',
    fix: 'Put the canonical address into og:url.',
    finds({ facts, canonical }) {
      const address = facts.openGraph['url']
      if (address === undefined || canonical === null) return false
      return normalise(address, facts.base)?.href !== canonical
    },
    examples: {
      bad: [
        '<link rel=canonical href="/page"><meta property="og:url" content="https://example.test/other">',
        '<link rel=canonical href="/page"><meta property="og:url" content="http://example.test/page">',
      ],
      good: [
        '<link rel=canonical href="/page"><meta property="og:url" content="https://example.test/page">',
        '<link rel=canonical href="/page">',
        '<meta property="og:url" content="https://example.test/other">',
      ],
    },
  },
]
