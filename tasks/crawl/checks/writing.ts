import { knownLanguages } from '../html/stop-words.ts'
import { readability } from '../readability.ts'
import type { Page } from '../view.ts'
import type { PageCheck } from './check.ts'

/** A word that makes up more than this share of a text, in texts of so many words. */
const DENSITY = 0.03
const DENSITY_FROM = 100
/** Words and sentences from which a text can be judged. */
const WORDS = 100
const SENTENCES = 3
/** Flesch's reading ease of a text that is very hard to read; the same of the Gulpease index, for Italian. */
const FLESCH = 30
const GULPEASE = 40
const HIDDEN = 50

const words = (count: number) => 'word '.repeat(count)
/** So many words, each another. */
const prose = (count: number) => Array.from({ length: count }, (_, i) => `thing${i}`).join(' ')
const sentences = (sentence: string, count: number) => `<p>${`${sentence}. `.repeat(count)}</p>`
const hardEnglish = sentences(
  'Interdepartmental organizational considerations notwithstanding, institutional representatives unanimously characterized comprehensive administrative reconfiguration as fundamentally indispensable',
  8,
)
const hardItalian = sentences(
  'Le caratteristiche organizzative dell’amministrazione interdipartimentale, indipendentemente dalle considerazioni istituzionali precedentemente rappresentate, determinano inevitabilmente riconfigurazioni amministrative particolarmente significative nell’ambito delle responsabilità professionali',
  6,
)

const language = ({ facts: { lang } }: Page) => lang?.split('-', 1)[0]!.toLowerCase()

/** How a text is written. */
export const writingChecks: PageCheck[] = [
  {
    code: 'content_keyword_stuffing',
    severity: 'minor',
    of: 'indexable',
    about: 'One word makes up more than 3 % of the text.',
    fix: 'Write for readers: use synonyms and pronouns, and drop sentences that only repeat the word.',
    finds(page) {
      const { mostRepeated, mainWords } = page.facts.text
      if (mainWords < DENSITY_FROM || mostRepeated <= DENSITY * mainWords) return false
      return knownLanguages.includes(language(page) ?? 'en')
    },
    examples: {
      bad: [
        `<html lang=en><p>${prose(100)} ${'Shoes '.repeat(5)}</p>`,
        `<html lang=it><p>${prose(150)} ${'scarpe, '.repeat(3)} SCARPE (scarpe)</p>`,
      ],
      good: [
        `<p>${prose(200)} ${'shoes '.repeat(5)}</p>`,
        `<html lang=it><p>${prose(100)} ${'della '.repeat(20)}</p>`,
        `<html lang=fi><p>${prose(100)} ${'kengät '.repeat(20)}</p>`,
        `<p>${prose(150)}</p><nav>${'shoes '.repeat(20)}</nav>`,
        `<p>${prose(50)} ${'shoes '.repeat(5)}</p>`,
      ],
    },
  },
  {
    code: 'content_readability_low',
    severity: 'minor',
    of: 'indexable',
    about:
      'The text is very hard to read: long sentences of long words (Flesch below 30; in Italian Gulpease below 40).',
    fix: 'Cut long sentences in two and put short words in place of long ones.',
    finds(page) {
      const { reading } = page.facts.text
      if (!reading || reading.words < WORDS || reading.sentences < SENTENCES) return false
      const lang = language(page)
      const ease = readability(reading, lang)
      return ease !== null && ease < (lang === 'it' ? GULPEASE : FLESCH)
    },
    examples: {
      bad: [`<html lang=en-GB>${hardEnglish}`, `<html lang=it>${hardItalian}`],
      good: [
        `<html lang=en>${sentences('The cat sat on the mat and looked at the dog', 12)}`,
        `<html lang=it>${sentences('Il gatto è sul tappeto e guarda il cane che dorme', 12)}`,
        `<html lang=de>${hardEnglish}`,
        `<html lang=en><ul>${'<li>Interdepartmental organizational considerations</li>'.repeat(100)}</ul>`,
        `<html lang=en>${sentences('Institutional representatives', 3)}`,
      ],
    },
  },
  {
    code: 'content_hidden_text',
    severity: 'moderate',
    about: 'Fifty words or more are hidden from readers, but not from search engines.',
    fix: 'Show the text, or remove it; what readers open themselves belongs into `<details>` or a labelled panel.',
    finds: ({ facts }) => facts.text.hiddenWords >= HIDDEN,
    examples: {
      bad: [
        `<div style="display:none"><p>${words(50)}</p></div>`,
        `<p style="position:absolute; LEFT: -9999px">${words(25)}</p><p style="text-indent:-9999em">${words(25)}</p>`,
        `<p style="color:#fff;background:WHITE">${words(50)}</p>`,
        `<span style="font-size:0">${words(50)}</span>`,
      ],
      good: [
        `<div style="display:none">${words(49)}</div><p>${words(100)}</p>`,
        `<div style="display:none" role="dialog">${words(60)}</div>`,
        `<div style="display:none" aria-hidden="true">${words(60)}</div>`,
        `<div style="display: none" class="mobile-menu">${words(60)}</div>`,
        `<p style="font-size:0.9em; opacity: 0.5; left: -10px">${words(60)}</p>`,
        `<p style="color:#333;background-color:#fff">${words(60)}</p>`,
        `<template><p style="display:none">${words(60)}</p></template>`,
      ],
    },
  },
]
