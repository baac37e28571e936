import { describe, expect, test } from 'vitest'

import { decodeHtml } from '../../tasks/crawl/charset.ts'

const utf8 = (text: string) => Buffer.from(text)
const latin1 = (text: string) => Buffer.from(text, 'latin1')
const utf16le = (text: string) => Buffer.from(text, 'utf16le')
const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16()

describe('what decides', () => {
  test('the byte order mark, before all else', () => {
    const page = decodeHtml(utf8('\ufeff<meta charset=windows-1252>città'), 'text/html; charset=iso-8859-15')
    expect(page).toEqual({
      html: '<meta charset=windows-1252>città',
      charset: 'utf-8',
      source: 'bom',
      headerCharset: 'iso-8859-15',
      metaCharset: 'windows-1252',
      damaged: false,
    })
  })
  test.each([
    ['utf-16le', utf16le('\ufeff<p>città 東京')],
    ['utf-16be', utf16be('\ufeff<p>città 東京')],
  ])('the mark of %s', (charset, body) => {
    expect(decodeHtml(body, 'text/html; charset=utf-8')).toMatchObject({
      html: '<p>città 東京',
      charset,
      source: 'bom',
    })
  })
  test('then the header', () => {
    expect(decodeHtml(latin1('<meta charset=utf-8>citt\u00e0'), 'text/html; charset=ISO-8859-1')).toEqual({
      html: '<meta charset=utf-8>città',
      charset: 'windows-1252',
      source: 'header',
      headerCharset: 'windows-1252',
      metaCharset: 'utf-8',
      damaged: false,
    })
  })
  test('then the page itself', () => {
    expect(decodeHtml(latin1('<meta charset=latin1>citt\u00e0'), 'text/html')).toEqual({
      html: '<meta charset=latin1>città',
      charset: 'windows-1252',
      source: 'meta',
      metaCharset: 'windows-1252',
      damaged: false,
    })
  })
  test('else UTF-8, where the bytes are', () => {
    expect(decodeHtml(utf8('<p>città'), undefined)).toEqual({
      html: '<p>città',
      charset: 'utf-8',
      source: 'default',
      damaged: false,
    })
  })
  test('else Windows-1252', () => {
    const page = decodeHtml(Buffer.of(0x80, 0x20, 0xe0), undefined)
    expect(page).toMatchObject({ html: '€ à', charset: 'windows-1252', source: 'default' })
  })
  test('an unknown label in the header decides nothing but is reported', () => {
    const page = decodeHtml(latin1('<meta charset=latin1>citt\u00e0'), 'text/html; charset=klingon')
    expect(page).toMatchObject({ charset: 'windows-1252', source: 'meta', headerCharset: 'klingon' })
  })
  test('nothing at all is an empty page', () => {
    expect(decodeHtml(Buffer.alloc(0), undefined)).toMatchObject({
      html: '',
      charset: 'utf-8',
      damaged: false,
    })
  })
})

describe('the header', () => {
  test.each([
    ['text/html;charset=utf-8', 'utf-8'],
    ['text/html ; Charset="UTF-8"', 'utf-8'],
    ['text/html; x=y; charset = Shift_JIS ; z', 'shift_jis'],
    ['text/html; charset=utf8, text/html', 'utf-8'],
    ['text/html; charset=gb2312', 'gbk'],
    ['text/html; charset=utf-8; charset=latin1', 'utf-8'],
    ['text/html; charset=', undefined],
    ['text/html; charset', undefined],
    ['text/html', undefined],
  ])('%s', (header, charset) => expect(decodeHtml(utf8('x'), header).headerCharset).toBe(charset))
})

describe('a declaration in the page', () => {
  test.each([
    ['<meta charset="utf-8">', 'utf-8'],
    ["<meta charset='utf-8'>", 'utf-8'],
    ['<META CHARSET=Shift_JIS/>', undefined],
    ['<META CHARSET=Shift_JIS />', 'shift_jis'],
    ['<meta/charset=euc-kr>', 'euc-kr'],
    ['<meta name=x charset=koi8-r>', 'koi8-r'],
    ['<meta  charset  =  "big5"  >', 'big5'],
    ['<meta charset=>', undefined],
    ['<meta charset=utf-8', undefined],
    ['<meta charset="utf-8', undefined],
    ['<metacharset=utf-8>', undefined],
    ['<meta charset=klingon><meta charset=utf-8>', 'utf-8'],
    ['<meta charset=koi8-r charset=utf-8>', 'koi8-r'],
    ['<meta http-equiv="Content-Type" content="text/html; charset=euc-jp">', 'euc-jp'],
    ['<meta content="text/html; charset=euc-jp" http-equiv=content-type>', 'euc-jp'],
    ['<meta http-equiv=content-type content=\'text/html; charset="euc-jp"\'>', 'euc-jp'],
    ['<meta http-equiv=content-type content="text/html; charset = euc-jp ; x">', 'euc-jp'],
    ['<meta http-equiv=content-type content="charset charset=euc-jp">', 'euc-jp'],
    ['<meta content="text/html; charset=euc-jp">', undefined],
    ['<meta name=content-type content="text/html; charset=euc-jp">', undefined],
    ['<meta http-equiv=refresh content="text/html; charset=euc-jp">', undefined],
    ['<meta charset=utf-16le>', 'utf-8'],
    ['<meta charset=utf-16>', 'utf-8'],
    ['<meta charset=x-user-defined>', 'windows-1252'],
    ['<!-- <meta charset=utf-8> --><meta charset=koi8-r>', 'koi8-r'],
    ['<!--><meta charset=koi8-r>', 'koi8-r'],
    ['<!-- <meta charset=utf-8>', undefined],
    ['<!doctype "<meta charset=utf-8"><meta charset=koi8-r>', 'koi8-r'],
    ['<a title="<meta charset=utf-8>"><meta charset=koi8-r>', 'koi8-r'],
    ['</a title="<meta charset=utf-8>"><meta charset=koi8-r>', 'koi8-r'],
    ['<?php <meta charset=utf-8> ?><meta charset=koi8-r>', 'koi8-r'],
    ['<script>"<meta charset=utf-8>"</script><meta charset=koi8-r>', 'utf-8'],
    ['1 < 2 <meta charset=koi8-r>', 'koi8-r'],
    ['<<meta charset=koi8-r>', 'koi8-r'],
    ['<?xml version="1.0" encoding="euc-jp"?><html>', 'euc-jp'],
    ['<?xml version="1.0" encoding="euc-jp"?><meta charset=koi8-r>', 'koi8-r'],
    ['<p>charset=utf-8', undefined],
  ])('%s', (html, charset) => expect(decodeHtml(latin1(html), undefined).metaCharset).toBe(charset))

  test('counts within the first 1,024 bytes only', () => {
    const meta = '<meta charset=koi8-r>'
    const declared = (padding: number) =>
      decodeHtml(latin1(' '.repeat(padding) + meta), undefined).metaCharset
    expect(declared(1024 - meta.length)).toBe('koi8-r')
    expect(declared(1025 - meta.length)).toBeUndefined()
  })
})

describe('decoding', () => {
  test.each([
    ['shift_jis', Buffer.of(0x93, 0x8c, 0x8b, 0x9e), '東京'],
    ['euc-jp', Buffer.of(0xc5, 0xec, 0xb5, 0xfe), '東京'],
    ['gb18030', Buffer.of(0xb6, 0xab, 0xbe, 0xa9), '东京'],
    ['big5', Buffer.of(0xaa, 0x46, 0xa8, 0xca), '東京'],
    ['euc-kr', Buffer.of(0xbc, 0xad, 0xbf, 0xef), '서울'],
    ['koi8-r', Buffer.of(0xed, 0xc9, 0xd2), 'Мир'],
    ['windows-1251', Buffer.of(0xcc, 0xe8, 0xf0), 'Мир'],
    ['iso-8859-15', Buffer.of(0xa4), '€'],
    ['iso-8859-1', Buffer.of(0x80, 0x99), '€™'],
    ['us-ascii', Buffer.of(0xe9), 'é'],
    ['utf-16le', utf16le('città'), 'città'],
  ])('%s', (charset, body, html) => {
    expect(decodeHtml(body, `text/html; charset=${charset}`)).toMatchObject({ html, damaged: false })
  })
  test.each([
    ['utf-8', Buffer.of(0x61, 0xe0, 0x62), 'a\ufffdb'],
    ['shift_jis', Buffer.of(0x61, 0xa0), 'a\ufffd'],
  ])('tells where bytes are not %s', (charset, body, html) => {
    expect(decodeHtml(body, `text/html; charset=${charset}`)).toMatchObject({ html, damaged: true })
  })
  test.each(['hz-gb-2312', 'iso-2022-kr', 'replacement'])('refuses %s, as browsers do', (charset) => {
    expect(decodeHtml(utf8('città'), `text/html; charset=${charset}`)).toMatchObject({
      charset: 'utf-8',
      source: 'default',
    })
  })
})
