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
    finds: ({ facts }) =>
      Object.keys(facts.openGraph).length > 0 && NEEDED.some((name) => !(name in facts.openGraph)),
    examples: { bad: [og('title', 'image')], good: [og(...NEEDED), '<p>none</p>'] },
  },
  {
    code: 'twitter_card_missing',
    severity: 'minor',
    of: 'indexable',
    about: 'The page has neither a twitter:card nor Open Graph tags to stand in for it.',
    finds: ({ facts }) => facts.twitterCard === null && !('title' in facts.openGraph),
    examples: { bad: ['<p>text</p>'], good: [card('summary'), og('title')] },
  },
  {
    code: 'twitter_card_invalid',
    severity: 'minor',
    about: 'The twitter:card is of no known kind.',
    finds: ({ facts }) => facts.twitterCard !== null && !CARDS.includes(facts.twitterCard.toLowerCase()),
    examples: { bad: [card('photo')], good: [card('summary_large_image'), '<p>none</p>'] },
  },
]
