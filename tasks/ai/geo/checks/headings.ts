import { texts } from '../entities.ts'
import { isQuestion } from '../evidence.ts'
import type { GeoPage } from '../page.ts'
import type { Block } from '../passages.ts'
import { type GeoCheck, grade, overPages } from './check.ts'

/** Examples kept as evidence. */
const KEPT = 10
/** Questions that a page answers by its headings. */
const QUESTIONS = 2
/** Share of sections that begin with an answer; words of a first sentence that is one. */
const ANSWERED = 0.6
const ANSWER_WORDS = 40
const FEWEST_WORDS = 6

const wordsOf = (text: string) => text.split(/\s+/).length

/** Headings, labels of answers that open, and questions of structured data; each once. */
function questionsOf({ passages, entities }: GeoPage): string[] {
  const written = passages.blocks
    .filter(({ kind }) => kind === 'heading' || kind === 'label')
    .map(({ text }) => text)
  const marked = entities
    .filter(({ types }) => types.includes('Question'))
    .flatMap((one) => texts(one, 'name'))
  const distinct = new Map(
    [...written, ...marked].filter(isQuestion).map((text) => [text.toLowerCase(), text.slice(0, 200)]),
  )
  return [...distinct.values()]
}

/** Headings below the first level, and whether what follows begins with a short answer. */
function sectionsOf({ passages: { blocks } }: GeoPage) {
  return blocks.flatMap((block, at) => {
    if (block.kind !== 'heading' || block.level < 2) return []
    return [{ heading: block.text, isAnswered: isAnswer(blocks[at + 1]) }]
  })
}

function isAnswer(block: Block | undefined): boolean {
  if (!block || block.kind === 'heading') return false
  if (block.kind !== 'paragraph') return true
  const [sentence = ''] = block.text.split(/(?<=[.!?…:])\s/, 1)
  return wordsOf(block.text) >= FEWEST_WORDS && wordsOf(sentence) <= ANSWER_WORDS
}

const text = 'So it is with shoes of leather from Florence.'
const section = (heading: string, body = text) => `<h2>${heading}</h2><p>${body}</p>`
const json = (data: object) => `<script type="application/ld+json">${JSON.stringify(data)}</script>`
/** Whether headings lead to answers. */
export const headingChecks: GeoCheck[] = [
  {
    code: 'headings_outline',
    area: 'structure',
    weight: 4,
    title: { it: 'I titoli ordinano il testo', en: 'The headings put the text in order' },
    fix: {
      it: 'Dai alla pagina un solo H1, almeno due H2 per i suoi argomenti, e non saltare livelli.',
      en: 'Give the page one H1, at least two H2 for its topics, and skip no level.',
    },
    judge: overPages(({ facts: { headings } }) => {
      const count = (level: number) => headings.filter((one) => one.level === level && one.text !== '').length
      const skips = headings.some(({ level }, at) => at > 0 && level > headings[at - 1]!.level + 1)
      const met = [count(1) === 1, count(2) >= 2, headings.length > 0 && !skips]
      return { share: met.filter(Boolean).length / met.length, value: { h1: count(1), h2: count(2), skips } }
    }),
    examples: {
      pass: ['<h1>A</h1><h2>B</h2><h3>C</h3><h2>D</h2>'],
      warn: [
        '<h1>A</h1>',
        '<h1>A</h1><h2>B</h2><h2>C</h2><h4>D</h4>',
        '<h1>A</h1><h1>B</h1><h2>C</h2><h2>D</h2>',
      ],
      fail: ['<p>text', ''],
    },
  },
  {
    code: 'question_headings',
    area: 'structure',
    weight: 5,
    title: {
      it: 'I titoli pongono le domande che si fanno le persone',
      en: 'Headings ask the questions that people ask',
    },
    fix: {
      it: 'Scrivi almeno due titoli come domande («Quanto costa…?», «Come si sceglie…?») e rispondi subito sotto.',
      en: 'Write at least two headings as questions (“How much is…?”, “How do I choose…?”) and answer right below.',
    },
    judge: overPages((page) => {
      const questions = questionsOf(page)
      return {
        share: grade(questions.length, 0, QUESTIONS),
        value: questions.length,
        evidence: questions.slice(0, KEPT),
      }
    }),
    examples: {
      pass: [
        section('How much is a pair?') + section('Wie lange halten sie?'),
        section('Come si lavano le scarpe') + '<details><summary>Quanto durano?</summary>Anni</details>',
        json({
          '@type': 'FAQPage',
          mainEntity: [
            { '@type': 'Question', name: 'Why?' },
            { '@type': 'Question', name: 'When?' },
          ],
        }),
      ],
      warn: [section('How much is a pair?'), section('Quanto costa?') + section('Chi siamo')],
      fail: [
        '<h2>Chi siamo</h2><h2>Dove siamo</h2><h2>Our shoes</h2>',
        '<nav><h2>How much?</h2><h2>Why?</h2></nav>',
      ],
    },
  },
  {
    code: 'direct_answers',
    area: 'structure',
    weight: 4,
    title: { it: 'Le sezioni cominciano con la risposta', en: 'Sections begin with the answer' },
    fix: {
      it: 'Apri ogni sezione con una frase breve (al massimo 40 parole) che risponde al titolo; i dettagli vengono dopo.',
      en: 'Open each section with a short sentence (40 words at most) that answers its heading; details come after.',
    },
    judge: overPages((page) => {
      const sections = sectionsOf(page)
      const answered = sections.filter(({ isAnswered }) => isAnswered).length
      return {
        share: sections.length === 0 ? 0 : grade(answered / sections.length, 0, ANSWERED),
        value: { sections: sections.length, answered },
        evidence: sections
          .flatMap(({ heading, isAnswered }) => (isAnswered ? [] : [heading.slice(0, 200)]))
          .slice(0, KEPT),
      }
    }),
    examples: {
      pass: [section('A') + section('B') + section('C', 'Yes.'), '<h2>Sizes</h2><ul><li>41<li>42</ul>'],
      warn: [section('A') + section('B', 'Yes.')],
      fail: ['<p>text', '<h2>A</h2><h2>B</h2>', section('A', `${'word '.repeat(60)}.`)],
    },
  },
]
