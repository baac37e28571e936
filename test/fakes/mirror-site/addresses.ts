import { latin1, shiftJis, utf16 } from '../site/encodings.ts'
import { type Definitions, linksTo, page, redirect } from './definition.ts'

const hub = (marker: string, definitions: Definitions) =>
  page(marker, linksTo(Object.keys(definitions)), { links: Object.keys(definitions) })

/** Pages in encodings of their own. A path goes out as UTF-8 whatever the page's encoding, a query does not. */
const charsets: Definitions = {
  '/charsets/windows-1252': page(
    'La città è già là',
    '<a href="/charsets/cittá">Path</a> <a href="/charsets/query?x=è">Query</a> <img src="/img/più.png">',
    { links: ['/charsets/citt%C3%A1', '/charsets/query?x=%E8'], needs: ['/img/pi%C3%B9.png'] },
    { encode: latin1, charset: 'windows-1252' },
  ),
  '/charsets/declared-inside': page(
    'Perché no',
    '',
    {},
    { encode: latin1, charset: null, head: '<meta charset="iso-8859-1">' },
  ),
  '/charsets/shift-jis': page(
    '東京の町',
    '<img src="/img/町.png">',
    { needs: ['/img/%E7%94%BA.png'] },
    {
      encode: shiftJis,
      charset: null,
      head: '<meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS">',
    },
  ),
  '/charsets/utf-16': page(
    'Двадцать слов',
    '<a href="/charsets/utf-16-target">On</a>',
    { links: ['/charsets/utf-16-target'] },
    { encode: utf16, charset: null },
  ),
}

/** Names that some file system does not take, or takes for others. */
const names = [
  'con',
  'AUX.html',
  'nul.txt',
  'com1',
  'trailing.',
  'trailing%20',
  'a:b',
  'star*',
  'pipe|x',
  'quo%22te',
  '%3Cangle%3E',
  'back%5Cslash',
  'Case',
  'case',
  'CASE',
  '%F0%9F%8C%8A',
  'na%C3%AFve',
  'na%CC%88i%CC%88ve',
  '..%2f..%2fetc%2fpasswd',
  '..%5c..%5cevil.html',
  'nul%00byte',
  'bad%E0%A4%A',
  'thing',
  'thing/',
  'thing/inside',
  'index.html',
  'long-'.repeat(60),
].map((name) => `/names/${name}`)

const queries = [
  '/item',
  '/item?id=1',
  '/item?id=2',
  '/item?id=1&sort=up',
  '/item?q=a/../../b',
  '/list.php?page=2',
]

const same = 'The same bytes under several addresses'
const depths = [1, 2, 3, 4, 5, 6]

const moves: Definitions = {
  '/moved': redirect('/redirects/target'),
  '/moved-on': redirect('/moved', 302),
  '/moved-away': redirect('https://elsewhere.test/'),
  '/loop-a': redirect('/loop-b', 302),
  '/loop-b': redirect('/loop-a', 302),
  '/self-loop': redirect('/self-loop', 308),
}

export const addresses: Definitions = {
  '/charsets/': hub('Charsets', charsets),
  ...charsets,
  '/charsets/citt%C3%A1': page('A path beyond ASCII', ''),
  '/charsets/query?x=%E8': page('A query in the encoding of its page', ''),
  '/charsets/utf-16-target': page('Reached from UTF-16', ''),

  '/names/': page('Names', linksTo(names), { links: names }),
  ...Object.fromEntries(names.map((path) => [path, page(`Named ${encodeURIComponent(path)}`, '')])),
  '/manifest.json': { sort: 'other', type: 'application/json', body: '{"of": "the site itself"}' },

  '/queries': page(
    'Queries',
    `${linksTo(queries)} <a href="/item?id=2#part">Part</a> <img src="/photo.php?file=a/../b&amp;size=2" alt="">`,
    { links: queries, needs: ['/photo.php?file=a/../b&size=2'] },
  ),
  ...Object.fromEntries(queries.map((path) => [path, page(`Item ${encodeURIComponent(path)}`, '')])),
  '/photo.php?file=a/../b&size=2': {
    sort: 'image',
    type: 'image/png',
    body: Buffer.from('\u0089PNG of a script'),
  },

  '/base': page(
    'Another base',
    '<a href="leaf.html">Leaf</a> <img src="pic.png" alt=""> <a href="#here">Here</a> <a href="?a=1">Query</a>',
    { links: ['/base/deep/leaf.html', '/base/deep/', '/base/deep/?a=1'], needs: ['/base/deep/pic.png'] },
    { head: '<base href="/base/deep/" target="_top">' },
  ),
  '/base/abroad': page(
    'A base on another host',
    '<img src="abroad.png" alt=""> <a href="{site}/base">Back</a>',
    { links: ['/base'], needs: ['cdn:/base/abroad.png'] },
    { head: '<base href="{cdn}/base/">' },
  ),
  '/base/deep/leaf.html': page('A leaf', ''),
  // Where a bare fragment leads, with such a base.
  '/base/deep/': page('The base itself', ''),
  '/base/deep/?a=1': page('A query of the base', ''),

  '/duplicates': page(
    'Duplicates',
    `${linksTo(['/same-1', '/same-2'])} <img src="/img/copy-1.png"> <img src="/img/copy-2.png"> <img src="{cdn}/copy-3.png">`,
    { links: ['/same-1', '/same-2'], needs: ['/img/copy-1.png', '/img/copy-2.png', 'cdn:/copy-3.png'] },
  ),
  '/same-1': page(same, '<p>Twice'),
  '/same-2': page(same, '<p>Twice'),
  ...Object.fromEntries(
    ['/img/copy-1.png', '/img/copy-2.png', 'cdn:/copy-3.png'].map((path) => [
      path,
      { sort: 'image' as const, type: 'image/png', body: Buffer.from('\u0089 thrice') },
    ]),
  ),

  '/redirects': page(
    'Redirects',
    `${linksTo(Object.keys(moves))} <a href="/moved#part">Part</a> <img src="/img/moved.png" alt="">`,
    { links: Object.keys(moves), needs: ['/img/moved.png'] },
  ),
  ...moves,
  '/redirects/target': page('Where redirects lead', '<a id="part">Part</a>'),
  '/img/moved.png': redirect('cdn:/moved-here.png', 307),

  '/refresh': page(
    'Moves on by itself',
    '',
    { links: ['/refreshed'] },
    { head: '<meta http-equiv="refresh" content="0; url=/refreshed">' },
  ),
  '/refreshed': page('Moved on', ''),

  '/broken': page('Broken', `${linksTo(['/gone', '/failing'])} <img src="/img/gone.png" alt="">`, {
    links: ['/gone', '/failing'],
    needs: ['/img/gone.png'],
  }),
  '/gone': { ...page('Gone', ''), status: 404 },
  '/failing': { ...page('Failing', ''), status: 500 },
  '/img/gone.png': { sort: 'other', type: 'text/html', body: 'Gone', status: 404 },

  '/blog/': page('Blog', linksTo(['/blog/first', '/blog/2024/second', '/private/draft']), {
    links: ['/blog/first', '/blog/2024/second', '/private/draft'],
  }),
  '/blog/first': page('First post', '<img src="/img/blog/first.png" alt="">', {
    needs: ['/img/blog/first.png'],
  }),
  '/blog/2024/second': page('Second post', '<script src="/matomo/matomo.js"></script>', {
    needs: ['/matomo/matomo.js'],
  }),
  '/private/draft': page('Draft', ''),
  '/files': page(
    'Files',
    linksTo(['/files/price.pdf', '/files/large.png', '/files/film.mp4', '/files/song.mp3']),
    {
      links: ['/files/price.pdf', '/files/large.png', '/files/film.mp4', '/files/song.mp3'],
    },
  ),
  '/files/large.png': { sort: 'image', type: 'image/png', body: Buffer.alloc(700 * 1024, 'large image') },

  ...Object.fromEntries(
    depths.map((depth) => {
      const next = depth < depths.length ? [`/deep/${depth + 1}`] : []
      return [`/deep/${depth}`, page(`${depth} deep`, linksTo(next), { links: next })]
    }),
  ),
}
