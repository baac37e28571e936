import { length } from '../html/text.ts'
import type { PageCheck } from './check.ts'

/** Characters: what says something, and what a result shows. */
const SHORT = 30
const LONG = 60

const title = (text: string) => `<title>${text}</title><p>text</p>`

export const titleChecks: PageCheck[] = [
  {
    code: 'title_missing',
    severity: 'major',
    of: 'indexable',
    about: 'The head has no title, or an empty one.',
    finds: ({ facts }) => facts.title === null,
    examples: {
      bad: [
        '<p>text</p>',
        title('  &nbsp; '),
        '<body><p>text</p><title>Too late</title>',
        '<svg><title>Logo</title></svg>',
      ],
      good: [
        title('Shoes'),
        '<TITLE>Shoes\n</TITLE>',
        { status: 404, html: '<p>gone</p>' },
        `<meta name=robots content=noindex><p>text`,
      ],
    },
  },
  {
    code: 'title_too_short',
    severity: 'minor',
    of: 'indexable',
    about: 'The title has fewer than 30 characters.',
    finds: ({ facts }) => facts.title !== null && length(facts.title) < SHORT,
    examples: {
      bad: [title('Shoes'), title('è'.repeat(29))],
      good: [title('x'.repeat(30)), '<p>no title</p>'],
    },
  },
  {
    code: 'title_too_long',
    severity: 'minor',
    of: 'indexable',
    about: 'The title is longer than the 60 characters a result shows.',
    finds: ({ facts }) => length(facts.title) > LONG,
    examples: {
      bad: [title('x'.repeat(61))],
      good: [
        title('x'.repeat(60)),
        title('è'.repeat(60)),
        title('👟'.repeat(60)),
        title(`${'x'.repeat(30)}   \n   ${'y'.repeat(29)}`),
      ],
    },
  },
  {
    code: 'title_multiple',
    severity: 'moderate',
    of: 'indexable',
    about: 'The page has more than one title element.',
    finds: ({ facts }) => facts.titles > 1,
    examples: {
      bad: ['<title>One</title><title>Two</title>', '<title>One</title><body><p>x</p><title>Two</title>'],
      good: [title('One'), '<title>One</title><body><svg><title>Logo</title><path/></svg>'],
    },
  },
  {
    code: 'title_same_as_h1',
    severity: 'minor',
    of: 'indexable',
    about: 'Title and first heading say the same words: one of them could say more.',
    finds: ({ facts, h1s }) =>
      facts.title !== null && h1s[0] !== undefined && facts.title.toLowerCase() === h1s[0].toLowerCase(),
    examples: {
      bad: ['<title>Red shoes</title><h1>Red\n <b>Shoes</b></h1>'],
      good: ['<title>Red shoes | Shop</title><h1>Red shoes</h1>', '<p>neither</p>'],
    },
  },
]
