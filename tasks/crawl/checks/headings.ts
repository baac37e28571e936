import { length } from '../html/text.ts'
import type { PageCheck } from './check.ts'

/** Characters of a first heading. */
const LONG = 70
/** Words from which a page needs sections. */
const SECTIONED = 300

export const headingChecks: PageCheck[] = [
  {
    code: 'h1_missing',
    severity: 'moderate',
    of: 'indexable',
    about: 'The page has no first-level heading with text.',
    fix: 'Add one h1 that names the subject of the page.',
    finds: ({ h1s }) => h1s.length === 0,
    examples: {
      bad: ['<h2>Second</h2>', '<h1> <span></span></h1><p>text</p>', '<h1><img src=a alt=""></h1>'],
      good: [
        '<h1>First</h1>',
        '<h1><img src=a alt="Shop"></h1>',
        '<h1><a href=/><b>Nested</b></a></h1>',
        { status: 404, html: null },
      ],
    },
  },
  {
    code: 'h1_multiple',
    severity: 'minor',
    of: 'indexable',
    about: 'The page has more than one first-level heading.',
    fix: 'Keep one h1 and make the others h2.',
    finds: ({ h1s }) => h1s.length > 1,
    examples: {
      bad: ['<h1>One</h1><h1>Two</h1>'],
      good: ['<h1>One</h1><h1></h1>', '<h1>One</h1><template><h1>Two</h1></template>'],
    },
  },
  {
    code: 'h1_too_long',
    severity: 'minor',
    of: 'indexable',
    about: 'The first heading has more than 70 characters.',
    fix: 'Shorten the h1 to 70 characters and move the rest into the text.',
    finds: ({ h1s }) => length(h1s[0] ?? null) > LONG,
    examples: { bad: [`<h1>${'x'.repeat(71)}</h1>`], good: [`<h1>${'è'.repeat(70)}</h1>`] },
  },
  {
    code: 'h2_missing',
    severity: 'minor',
    of: 'indexable',
    about: 'A page of 300 words or more has no second-level heading.',
    fix: 'Divide the text into sections, each with an h2.',
    finds: ({ facts, words }) => words >= SECTIONED && !facts.headings.some(({ level }) => level === 2),
    examples: {
      bad: [`<p>${'word '.repeat(300)}</p>`],
      good: [`<p>${'word '.repeat(299)}</p>`, `<h2>Part</h2><p>${'word '.repeat(300)}</p>`],
    },
  },
  {
    code: 'heading_order_skipped',
    severity: 'minor',
    about: 'A heading is more than one level deeper than the one before it.',
    fix: 'Use the next level below the heading before; choose its size with CSS.',
    finds: ({ facts }) => facts.headings.some(({ level }, i, all) => i > 0 && level > all[i - 1]!.level + 1),
    examples: {
      bad: ['<h1>One</h1><h3>Three</h3>', '<h2>Two</h2><h5>Five</h5>'],
      good: ['<h1>One</h1><h2>Two</h2><h3>Three</h3><h2>Two</h2>', '<h3>Three first</h3><h1>One</h1>'],
    },
  },
  {
    code: 'heading_empty',
    severity: 'minor',
    about: 'A heading has no text.',
    fix: 'Give the heading a text, or remove it.',
    finds: ({ facts }) => facts.headings.some(({ text }) => text === ''),
    examples: {
      bad: ['<h2></h2>', '<h3> &nbsp; <br></h3>'],
      good: [
        '<h2>Text</h2>',
        '<h2><img src=a alt="Team"></h2>',
        '<h2><svg><title>Team</title></svg></h2>',
        '<p>none</p>',
      ],
    },
  },
]
