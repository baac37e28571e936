import { compress, latin1, shiftJis, utf16 } from './encodings.ts'
import type { Answer } from './server.ts'
import type { Definition, Group } from './truth.ts'

const redirect = (status: number, location: string): Answer => ({ status, headers: { location } })

export const errors: Group = {
  hub: '/errors/',
  hubHas: ['link_internal_broken'],
  pages: {
    '/errors/404': {
      answer: { status: 404, body: '<!doctype html><h1>Gone astray</h1>' },
      has: ['http_4xx'],
    },
    '/errors/410': { answer: { status: 410 }, has: ['http_4xx'] },
    '/errors/403': { answer: { status: 403 }, has: ['page_blocked'] },
    '/errors/500': { answer: { status: 500 }, has: ['http_5xx'] },
    '/errors/503': { answer: { status: 503 }, has: ['http_5xx'] },
  },
}

export const redirects: Group = {
  hub: '/redirects/',
  hubHas: ['link_to_redirect'],
  pages: {
    '/redirects/301': { answer: redirect(301, '/about'), has: ['redirect_internal'] },
    '/redirects/308': { answer: redirect(308, '../about#part'), has: ['redirect_internal'] },
    '/redirects/302': { answer: redirect(302, '/about'), has: ['redirect_internal', 'redirect_temporary'] },
    '/redirects/303': { answer: redirect(303, '/about'), has: ['redirect_internal', 'redirect_temporary'] },
    '/redirects/307': { answer: redirect(307, '/about'), has: ['redirect_internal', 'redirect_temporary'] },
    '/redirects/chain-1': {
      answer: redirect(301, '/redirects/chain-2'),
      has: ['redirect_internal', 'redirect_chain'],
    },
    '/redirects/chain-2': {
      answer: redirect(301, '/redirects/chain-3'),
      unlinked: true,
      has: ['redirect_chain'],
      unsure: ['redirect_internal'],
    },
    '/redirects/chain-3': {
      answer: redirect(301, '/redirects/chain-end'),
      unlinked: true,
      unsure: ['redirect_internal'],
    },
    '/redirects/chain-end': { doc: {}, unlinked: true },
    '/redirects/loop-a': {
      answer: redirect(301, '/redirects/loop-b'),
      has: ['redirect_internal', 'redirect_loop'],
      unsure: ['redirect_chain'],
    },
    '/redirects/loop-b': {
      answer: redirect(301, '/redirects/loop-a'),
      unlinked: true,
      has: ['redirect_loop'],
      unsure: ['redirect_chain', 'redirect_internal'],
    },
    '/redirects/to-itself': {
      answer: redirect(301, '/redirects/to-itself'),
      has: ['redirect_internal', 'redirect_loop'],
      unsure: ['redirect_chain'],
    },
    '/redirects/broken': {
      answer: redirect(301, '/redirects/nothing'),
      has: ['redirect_internal', 'redirect_broken'],
    },
    '/redirects/nothing': { answer: { status: 404 }, unlinked: true, has: ['http_4xx'] },
    '/redirects/offsite': {
      answer: (_origin, other) => ({ status: 301, headers: { location: `${other}/elsewhere` } }),
      has: ['redirect_internal'],
    },
    '/redirects/refresh': {
      doc: { head: '<meta http-equiv="refresh" content="0; url=/redirects/refreshed">' },
      has: ['redirect_meta_refresh'],
    },
    '/redirects/refresh-quoted': {
      doc: { head: `<meta http-equiv="Refresh" content="5;URL='refreshed-quoted'">` },
      has: ['redirect_meta_refresh'],
    },
    '/redirects/refreshed': { doc: {}, unlinked: true },
    '/redirects/refreshed-quoted': { doc: {}, unlinked: true },
    '/redirects/reload': { doc: { head: '<meta http-equiv="refresh" content="300">' } },
  },
}

const file = (type: string, body: string | Buffer): Definition => ({
  answer: { headers: { 'content-type': type }, body },
  fields: { title: null, h1: null, words_count: 0 },
})

export const files: Group = {
  hub: '/files/',
  pages: {
    '/files/report.pdf': file('application/pdf', '%PDF-1.7\n<a href="/never/from-pdf">x</a>'),
    '/files/photo.png': file('image/png', Buffer.from('89504e470d0a1a0a', 'hex')),
    '/files/data.json': file('application/json', '{"url":"/never/from-json"}'),
    '/files/plain.txt': file('text/plain', '<title>No page</title><a href="/never/from-text">x</a>'),
    '/files/style.css': file('text/css', 'a { background: url(/never/from-css) }'),
  },
}

const encoded = (encoding: string): Definition => ({
  doc: {},
  encode: (text) => compress[encoding]!(text),
  answer: { headers: { 'content-encoding': encoding } },
})

export const encodings: Group = {
  hub: '/encodings/',
  pages: {
    '/encodings/gzip': encoded('gzip'),
    '/encodings/br': encoded('br'),
    '/encodings/deflate': encoded('deflate'),
    '/encodings/zstd': encoded('zstd'),
    '/encodings/latin1-header': {
      doc: { title: 'Città però così, perché già più là' },
      encode: latin1,
      answer: { headers: { 'content-type': 'text/html; charset=ISO-8859-1' } },
    },
    '/encodings/latin1-meta': {
      doc: { title: 'Übermäßig große Schlüsselwörter' },
      encode: (text) => latin1(text.replace('charset="utf-8"', 'charset=iso-8859-1')),
      answer: { headers: { 'content-type': 'text/html' } },
    },
    '/encodings/http-equiv': {
      doc: { title: 'Où êtes-vous allés, garçon naïf' },
      encode: (text) =>
        latin1(
          text.replace(
            '<meta charset="utf-8">',
            '<meta http-equiv="Content-Type" content="text/html; charset=windows-1252">',
          ),
        ),
      answer: { headers: { 'content-type': 'text/html' } },
    },
    '/encodings/utf-16': {
      doc: { title: 'Žluťoučký kůň úpěl ďábelské ódy' },
      encode: utf16,
      answer: { headers: { 'content-type': 'text/html' } },
    },
    '/encodings/shift-jis': {
      doc: { title: '日本語のページの題名はこのように長くてもかまいませんので安心です' },
      encode: (text) => shiftJis(text.replace('charset="utf-8"', 'charset="Shift_JIS"')),
      answer: { headers: { 'content-type': 'text/html' } },
    },
    '/encodings/bom-wins': {
      doc: { title: 'Пошли мы в лес за грибами вчера' },
      encode: (text) => Buffer.from(`\ufeff${text}`),
      answer: { headers: { 'content-type': 'text/html; charset=iso-8859-1' } },
    },
  },
}
