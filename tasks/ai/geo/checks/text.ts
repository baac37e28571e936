import { read } from '../../../crawl/html/reading.ts'
import { readability } from '../../../crawl/readability.ts'
import { type GeoCheck, grade, overPages } from './check.ts'

/** Words of a paragraph that can be quoted whole, and share of the paragraphs that can. */
const PARAGRAPH_WORDS = 120
const QUOTABLE = 0.9
const SENTENCES = 5
/** The index of a text that is hard to read, and of one that most people read easily. */
const EASE = { it: { hard: 40, easy: 60 }, en: { hard: 30, easy: 50 } }

const text = 'So it is with shoes of leather from Florence.'
const english = 'The cat sat on the mat and looked at the dog. '.repeat(6)
const hardEnglish =
  'Interdepartmental organizational considerations notwithstanding, institutional representatives unanimously characterized comprehensive administrative reconfiguration as indispensable. '.repeat(
    6,
  )
const italian = 'Il gatto è sul tappeto e guarda il cane che dorme. '.repeat(6)
const hardItalian =
  'Le caratteristiche organizzative dell’amministrazione interdipartimentale, indipendentemente dalle considerazioni istituzionali precedentemente rappresentate, determinano inevitabilmente riconfigurazioni amministrative particolarmente significative. '.repeat(
    6,
  )

/** Whether the text comes in pieces that can be quoted. */
export const textChecks: GeoCheck[] = [
  {
    code: 'lists_tables',
    area: 'structure',
    weight: 3,
    title: { it: 'Elenchi o tabelle riassumono i fatti', en: 'Lists or tables sum up the facts' },
    fix: {
      it: 'Metti passi, confronti, prezzi e caratteristiche in elenchi (`<ul>`, `<ol>`) o in una tabella (`<table>`).',
      en: 'Put steps, comparisons, prices and features into lists (`<ul>`, `<ol>`) or a table (`<table>`).',
    },
    judge: overPages(({ passages: { lists, tables } }) => ({
      share: lists + tables > 0 ? 1 : 0,
      value: { lists, tables },
    })),
    examples: {
      pass: [
        '<ul><li>one<li>two</ul>',
        '<table><tr><th>A<th>B<tr><td>1<td>2</table>',
        '<dl><dt>A<dd>one<dt>B<dd>two</dl>',
        '<ul><li>leather from <a href=/t>Tuscany</a>, tanned with bark<li>soles sewn by hand</ul>',
      ],
      warn: [{ html: '<ul><li>one<li>two</ul>', others: { '/a': '<p>text' } }],
      fail: [
        '<p>text',
        '<ul><li><a href=/a>one</a><li><a href=/b>two</a></ul>',
        '<nav><ul><li>one<li>two</ul></nav>',
        '<table><tr><td>layout<tr><td>layout</table>',
      ],
    },
  },
  {
    code: 'paragraphs_short',
    area: 'structure',
    weight: 2,
    title: { it: 'I paragrafi si possono citare interi', en: 'Paragraphs can be quoted whole' },
    fix: {
      it: 'Dividi i paragrafi di oltre 120 parole: un’idea ciascuno.',
      en: 'Divide paragraphs of more than 120 words: one idea each.',
    },
    judge: overPages(({ passages: { blocks } }) => {
      const lengths = blocks
        .filter(({ kind }) => kind === 'paragraph')
        .map(({ text }) => text.split(/\s+/).length)
      const long = lengths.filter((words) => words > PARAGRAPH_WORDS).length
      const share = lengths.length === 0 ? 0 : grade((lengths.length - long) / lengths.length, 0, QUOTABLE)
      return { share, value: { paragraphs: lengths.length, long } }
    }),
    examples: {
      pass: [`<p>${text}`],
      warn: [`<p>${text}<p>${'word '.repeat(121)}`],
      fail: ['', `<p>${'word '.repeat(121)}`],
    },
  },
  {
    code: 'readable',
    area: 'structure',
    weight: 2,
    title: {
      it: 'Il testo si legge facilmente (Gulpease in italiano, Flesch in inglese)',
      en: 'The text is easy to read (Gulpease in Italian, Flesch in English)',
    },
    fix: {
      it: 'Spezza le frasi lunghe e usa parole comuni: un indice Gulpease di almeno 60, o Flesch di almeno 50.',
      en: 'Cut long sentences in two and use common words: a Flesch reading ease of 50 at least, or 60 of Gulpease.',
    },
    judge: overPages(({ passages, language }) => {
      const reading = read(passages.blocks.map(({ text }) => text).join('\f'))
      const ease = reading.sentences < SENTENCES || !language ? null : readability(reading, language)
      if (ease === null || !language) return { share: null, value: null }
      const { hard, easy } = EASE[language]
      return {
        share: grade(ease, hard, easy),
        value: { language, index: Math.round(10 * ease) / 10, sentences: reading.sentences },
      }
    }),
    examples: {
      pass: [`<html lang=en><p>${english}`, `<html lang=it><p>${italian}`, `<p>${italian}`],
      fail: [`<html lang=en><p>${hardEnglish}`, `<html lang=it-IT><p>${hardItalian}`],
      unknown: ['<html lang=en><p>The cat sat on the mat.', `<html lang=de><p>${english}`, ''],
    },
  },
]
