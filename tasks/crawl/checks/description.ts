import { length } from '../html/text.ts'
import type { PageCheck } from './check.ts'

/** Characters: what says something, and what a result shows. */
const SHORT = 70
const LONG = 160
/** Words of a page that can be compared, and the share of the description’s words it should have. */
const JUDGED = 50
const RELEVANT = 0.2

const description = (text: string) => `<meta name="description" content="${text}"><p>text</p>`

export const descriptionChecks: PageCheck[] = [
  {
    code: 'meta_desc_missing',
    severity: 'moderate',
    of: 'indexable',
    about: 'The head has no meta description, or an empty one.',
    fix: 'Write a meta description of 70 to 160 characters that says what the page offers.',
    finds: ({ facts }) => facts.metaDescription === null,
    examples: {
      bad: ['<p>text</p>', description(' '), '<body><p>text</p><meta name="description" content="Too late">'],
      good: [description('Shoes'), '<META NAME=Description CONTENT=Shoes>', { status: 500, html: null }],
    },
  },
  {
    code: 'meta_desc_too_short',
    severity: 'minor',
    of: 'indexable',
    about: 'The meta description has fewer than 70 characters.',
    fix: 'Extend the description to 70 to 160 characters.',
    finds: ({ facts }) => facts.metaDescription !== null && length(facts.metaDescription) < SHORT,
    examples: { bad: [description('à'.repeat(69))], good: [description('x'.repeat(70)), '<p>none</p>'] },
  },
  {
    code: 'meta_desc_too_long',
    severity: 'minor',
    of: 'indexable',
    about: 'The meta description is longer than the 160 characters a result shows.',
    fix: 'Shorten the description to 160 characters, with what matters first.',
    finds: ({ facts }) => length(facts.metaDescription) > LONG,
    examples: {
      bad: [description('x'.repeat(161))],
      good: [description('à'.repeat(160)), description('&quot;'.repeat(160))],
    },
  },
  {
    code: 'meta_desc_multiple',
    severity: 'minor',
    of: 'indexable',
    about: 'The head has more than one meta description.',
    fix: 'Keep one meta description and delete the others, which often come from a second plug-in.',
    finds: ({ facts }) => facts.metaDescriptions > 1,
    examples: {
      bad: ['<meta name=description content=a><meta name=description content=b>'],
      good: [description('One')],
    },
  },

  {
    code: 'meta_desc_irrelevant',
    severity: 'minor',
    of: 'indexable',
    about: 'Fewer than two in ten words of the meta description occur on the page.',
    fix: 'Describe what the page offers, in the words of the page.',
    finds: ({ facts: { text } }) =>
      text.mainWords >= JUDGED && text.descriptionShare !== null && text.descriptionShare < RELEVANT,
    examples: {
      bad: [description('Quantum physics for beginners').replace('text', 'red shoes '.repeat(40))],
      good: [
        description('Red shoes for beginners').replace('text', 'red shoes '.repeat(40)),
        description('Quantum physics for beginners').replace('text', 'red shoes '.repeat(20)),
      ],
    },
  },
]
