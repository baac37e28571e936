import type { Page } from '../view.ts'
import type { PageCheck } from './check.ts'
import { isLanguageTag } from './codes.ts'

/** Readers may need this much. */
const ZOOM = 5

const viewport = (content: string) => `<meta name="viewport" content="${content}">`

/** Properties of the viewport, in lower case. */
const viewportOf = ({ facts }: Page) =>
  new Map(
    (facts.viewport ?? '')
      .toLowerCase()
      .split(/[,;]/)
      .map((pair) => {
        const [name = '', value = ''] = pair.split('=')
        return [name.trim(), value.trim()]
      }),
  )

const headerCharset = ({ visit }: Page) =>
  visit.charset?.headerCharset ?? /charset\s*=\s*"?([\w:.-]+)/i.exec(visit.headers['content-type'] ?? '')?.[1]
const metaCharset = ({ visit, facts }: Page) => visit.charset?.metaCharset ?? facts.charset ?? undefined

/** Language, encoding, document type and viewport. */
export const documentChecks: PageCheck[] = [
  {
    code: 'lang_missing',
    severity: 'minor',
    about: 'The html element does not say which language the page is in.',
    fix: 'Add the language to the html element, such as `<html lang="it">`.',
    finds: ({ facts }) => facts.lang === null,
    examples: {
      bad: ['<html><p>text', '<html lang=""><p>text', '<p>text'],
      good: ['<html lang="it"><p>text', '<HTML LANG=it><p>text', { status: 404, html: null }],
    },
  },
  {
    code: 'lang_invalid',
    severity: 'minor',
    about: 'The language of the html element is not a valid language tag.',
    fix: 'Use a BCP 47 tag such as `it` or `en-GB`.',
    finds: ({ facts }) => facts.lang !== null && !isLanguageTag(facts.lang),
    examples: {
      bad: ['<html lang="italiano">', '<html lang="en_US">', '<html lang="xx">'],
      good: ['<html lang="it-IT">', '<html lang="zh-Hant">', '<html lang="scn">', '<p>none'],
    },
  },
  {
    code: 'charset_missing',
    severity: 'minor',
    about: 'Neither the Content-Type header nor the first kilobyte of the page names the character encoding.',
    fix: 'Send `Content-Type: text/html; charset=utf-8`, or put `<meta charset="utf-8">` first in the head.',
    finds: (page) =>
      page.visit.charset
        ? page.visit.charset.source === 'default'
        : !headerCharset(page) && !metaCharset(page),
    examples: {
      bad: [
        '<p>text',
        { html: '<meta charset="utf-8">', charset: { charset: 'windows-1252', source: 'default' } },
      ],
      good: [
        '<meta charset=utf-8>',
        '<meta http-equiv="Content-Type" content="text/html; charset=utf-8">',
        { html: '<p>text', headers: { 'content-type': 'text/html; charset=utf-8' } },
      ],
    },
  },
  {
    code: 'charset_conflict',
    severity: 'minor',
    about: 'Header and page name different character encodings.',
    fix: 'Make header and meta tag name the encoding that the file is really in, best UTF-8.',
    finds(page) {
      const [header, meta] = [headerCharset(page), metaCharset(page)]
      return header !== undefined && meta !== undefined && encoding(header) !== encoding(meta)
    },
    examples: {
      bad: [{ html: '<meta charset="utf-8">', headers: { 'content-type': 'text/html; charset=iso-8859-1' } }],
      good: [
        { html: '<meta charset="latin1">', headers: { 'content-type': 'text/html; charset=ISO-8859-1' } },
        '<meta charset=utf-8>',
      ],
    },
  },
  {
    code: 'doctype_missing',
    severity: 'minor',
    about: 'The page has no document type: browsers fall back to the layout rules of the nineties.',
    fix: 'Put `<!doctype html>` in the first line.',
    finds: ({ facts }) => !facts.doctype?.startsWith('doctype html'),
    examples: {
      bad: ['<html><p>text', '<!-- doctype html --><p>text'],
      good: ['<!DOCTYPE html><p>text', '<!doctype HTML PUBLIC "-//W3C//DTD HTML 4.01//EN"><p>'],
    },
  },
  {
    code: 'viewport_missing',
    severity: 'moderate',
    about: 'The page does not declare a viewport: on telephones it is shown as a shrunken desktop page.',
    fix: 'Add `<meta name="viewport" content="width=device-width, initial-scale=1">` to the head.',
    finds: ({ facts }) => facts.viewport === null,
    examples: {
      bad: ['<p>text', viewport(' ')],
      good: [viewport('width=device-width'), { status: 404, html: null }],
    },
  },
  {
    code: 'viewport_no_width',
    severity: 'minor',
    about: 'The viewport lacks a width or an initial scale.',
    fix: 'Set the viewport to `width=device-width, initial-scale=1`.',
    finds: (page) =>
      page.facts.viewport !== null &&
      !(viewportOf(page).has('width') && viewportOf(page).has('initial-scale')),
    examples: {
      bad: [viewport('user-scalable=yes'), viewport('width=device-width')],
      good: [viewport('width=device-width, initial-scale=1'), '<p>none'],
    },
  },
  {
    code: 'viewport_zoom_disabled',
    severity: 'minor',
    about: 'The viewport keeps readers from zooming in.',
    fix: 'Remove `user-scalable=no`, and `maximum-scale` unless it is at least 5.',
    finds(page) {
      const properties = viewportOf(page)
      const most = properties.get('maximum-scale')
      return (
        ['no', '0'].includes(properties.get('user-scalable') ?? '') ||
        (most !== undefined && Number.parseFloat(most) < ZOOM)
      )
    },
    examples: {
      bad: [
        viewport('width=device-width, user-scalable=no'),
        viewport('width=device-width, maximum-scale=1.0'),
      ],
      good: [viewport('width=device-width, maximum-scale=5'), viewport('width=device-width')],
    },
  },
  {
    code: 'duplicate_id',
    severity: 'minor',
    about: 'One id is given to several elements.',
    fix: 'Give every element an id of its own, or use a class.',
    finds: ({ facts }) => facts.duplicateIds > 0,
    examples: {
      bad: ['<p id=a>x<p id=a>y'],
      good: ['<p id=a>x<p id=b>y', '<p id="">x<p id="">y', '<p id=a>x<template><p id=a></template>'],
    },
  },
]

const encodings = new Map<string, string>()

/** The encoding behind a label: `latin1` and `iso-8859-1` are one. */
function encoding(label: string): string {
  const key = label.trim().toLowerCase()
  let name = encodings.get(key)
  if (name === undefined) {
    try {
      name = new TextDecoder(key).encoding
    } catch {
      name = key
    }
    if (encodings.size < 1000) encodings.set(key, name)
  }
  return name
}
