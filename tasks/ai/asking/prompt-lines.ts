import { tidy } from './prompt-set.ts'

/** Prompts read of one answer, the words of one, and characters of a line that can have one. */
const MOST = 40
const LINE = 2000
const WORDS = { least: 2, most: 40 }

const ENTRY = /^\s*(?:\d{1,3}[.)]|[-*+•‣–])\s+(.+)$/
/** Around and behind what is asked: emphasis, quotes, links and notes, and what is said of it. */
const AROUND = /^["'“”«»*_`\s]+|["'“”«»*_`\s]+$/g

/** The prompts that an answer lists: entries of lists, and lines that ask. */
export function promptsIn(answer: string): string[] {
  const lines = answer.split('\n').flatMap((line) => {
    if (line.length > LINE) return []
    const entry = ENTRY.exec(line)?.[1]
    const text = bare(entry ?? line)
    const asks = /[?？؟]$/.test(text)
    return entry !== undefined || asks ? [text] : []
  })
  const asking = lines.filter((line) => /[?？؟]$/.test(line))
  // An answer with questions may have other lists besides.
  return tidy((asking.length > 0 ? asking : lines).filter(isPrompt), MOST)
}

const bare = (line: string) => {
  const text = line
    .replace(/\(?\[([^\]\n]*)\]\([^)\s]*\)\)?/g, '$1')
    .replace(/\[\d+\]/g, '')
    .replaceAll('**', '')
    .replace(AROUND, '')
  return /^(.*?[?？؟])["”»]?\s*(?:[([–—-].*)?$/.exec(text)?.[1] ?? text
}

const isPrompt = (line: string) => {
  const { length } = line.split(/\s+/)
  return length >= WORDS.least && length <= WORDS.most && !line.endsWith(':') && /\p{L}/u.test(line)
}
