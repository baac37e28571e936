import { length } from '../html/text.ts'
import type { PageCheck } from './check.ts'

/** Characters: what says something, and what a result shows. */
const SHORT = 30
const LONG = 60
/** Words of a page that can be compared, and the share of the title’s words it should have. */
const JUDGED = 50
const RELEVANT = 0.3

const title = (text: string) => `<title>${text}</title><p>text</p>`

export const titleChecks: PageCheck[] = [
  {
    code: 'title_missing',
    severity: 'major',
    of: 'indexable',
    about: 'The head has no title, or an empty one.',
    fix: 'Write a title of 30 to 60 characters into the head.',
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
    fix: 'Extend the title to 30 to 60 characters: the subject, then the name of the site.',
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
    fix: 'Shorten the title to 60 characters, with what matters first.',
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
    fix: 'Keep one title element and delete the others.',
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
    fix: 'Add to the title what makes people choose this result, or the name of the site.',
    finds: ({ facts, h1s }) =>
      facts.title !== null && h1s[0] !== undefined && facts.title.toLowerCase() === h1s[0].toLowerCase(),
    examples: {
      bad: ['<title>Red shoes</title><h1>Red\n <b>Shoes</b></h1>'],
      good: ['<title>Red shoes | Shop</title><h1>Red shoes</h1>', '<p>neither</p>'],
    },
  },

  {
    code: 'title_irrelevant',
    severity: 'minor',
    of: 'indexable',
    about: 'Fewer than three in ten words of the title occur on the page.',
    fix: 'Make the title say what the page is about, in the words of the page.',
    finds: ({ facts: { text } }) =>
      text.mainWords >= JUDGED && text.titleShare !== null && text.titleShare < RELEVANT,
    examples: {
      bad: [`<title>Quantum physics for beginners</title><p>${'red shoes '.repeat(40)}</p>`],
      good: [
        `<title>Red shoe, handmade | Example</title><p>${'red shoes '.repeat(40)}</p>`,
        `<title>Scarpe rosse</title><p>${'La scarpa rossa è qui. '.repeat(20)}</p>`,
        `<title>Quantum physics</title><p>${'red shoes '.repeat(20)}</p>`,
        `<title>Welcome</title><p>${'red shoes '.repeat(40)}</p>`,
        `<title>量子物理学入門</title><p>${'red shoes '.repeat(40)}</p>`,
      ],
    },
  },
]
