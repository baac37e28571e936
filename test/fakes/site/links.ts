import { fit } from './html.ts'
import type { Group } from './truth.ts'

export const linkForms = (origin: string, other: string) => `
<a href="relative">in the folder</a> <a href="../links/up">one up</a> <a href="./x/../dots">dots</a>
<a href="../../../../links/above">above the root</a>
<a href="#top">fragment</a> <a href="">itself</a> <a href="/links/fragment#one">one</a> <a href="/links/fragment#two">two</a>
<a href="/links/list?page=2">two</a> <a href="/links/list?page=3">three</a>
<a href="/links/list?a=1&amp;b=2">entity</a> <a href="/links/list?b=2&amp;a=1">other order</a>
<a href="/links/slash">without</a> <a href="/links/slash/">with</a>
<a href="/links/Case">upper</a> <a href="/links/case">lower</a>
<a href="HTTP://127.0.0.1:${new URL(origin).port}/links/scheme">upper scheme</a>
<a href="http://0x7f.1:${new URL(origin).port}/links/host">another form of the host</a>
<a href="//127.0.0.1:${new URL(origin).port}/links/no-scheme">no scheme</a>
<a href="  /links/blanks  ">blanks</a> <a href="/links/ta\tb\nbed">tab</a>
<a href="/links/caf\u00e9">raw</a> <a href="/links/caf%C3%A9">encoded</a>
<a href='/links/single'>single quotes</a> <a href=/links/bare>no quotes</a> <A HREF="/links/shout">capitals</A>
<map name="m"><area href="/links/area" alt="area"></map>
${'<a href="/links/popular">again</a> '.repeat(100)}
<a href="based/">base</a> <a href="unclosed">never closed
<!-- <a href="/never/comment">x</a> --><script>const a = '<a href="/never/script">x</a>'</script>
<textarea><a href="/never/textarea">x</a></textarea>
<a href="mailto:someone@example.test">mail</a> <a href="tel:+390000">phone</a> <a href="javascript:void(0)">script</a>
<a href="data:text/html,x">data</a> <a href="ftp://127.0.0.1/never">ftp</a> <a href="http://[never">broken</a>
<a name="anchor">no address</a> <a href="${other}/external">another site</a>
<form action="/never/form" method="post"><button formaction="/never/button">send</button></form>
<a href="/links/counted">counted</a>`

export const links: Group = {
  hub: '/links/',
  pages: {
    '/links/relative': { doc: {}, unlinked: true },
    '/links/up': { doc: {}, unlinked: true },
    '/links/dots': { doc: {}, unlinked: true },
    '/links/above': { doc: {}, unlinked: true },
    '/links/fragment': { doc: {}, unlinked: true },
    '/links/list?page=2': { doc: {}, unlinked: true },
    '/links/list?page=3': { doc: {}, unlinked: true },
    '/links/list?a=1&b=2': { doc: { h1: 'First order' }, unlinked: true },
    '/links/list?b=2&a=1': { doc: { h1: 'Second order' }, unlinked: true },
    '/links/slash': {
      doc: { title: fit('Without a slash', 40), h1: 'None', description: fit('None', 99) },
      unlinked: true,
    },
    '/links/slash/': {
      doc: { title: fit('With a slash', 40), h1: 'One', description: fit('One', 99) },
      unlinked: true,
    },
    '/links/Case': {
      doc: { title: fit('Upper', 40), h1: 'Upper', description: fit('Upper', 99) },
      unlinked: true,
    },
    '/links/case': {
      doc: { title: fit('Lower', 40), h1: 'Lower', description: fit('Lower', 99) },
      unlinked: true,
    },
    '/links/scheme': { doc: {}, unlinked: true },
    '/links/host': { doc: {}, unlinked: true },
    '/links/no-scheme': { doc: {}, unlinked: true },
    '/links/blanks': { doc: {}, unlinked: true },
    '/links/tabbed': { doc: {}, unlinked: true },
    '/links/caf%C3%A9': { doc: {}, unlinked: true },
    '/links/single': { doc: {}, unlinked: true },
    '/links/bare': { doc: {}, unlinked: true },
    '/links/shout': { doc: {}, unlinked: true },
    '/links/area': { doc: {}, unlinked: true },
    '/links/popular': { doc: {}, unlinked: true },
    '/links/unclosed': { doc: {}, unlinked: true },
    '/links/based/': {
      doc: (origin) => ({
        head: `<base href="${origin}/links/other/place">`,
        body: '<a href="leaf">leaf</a>',
      }),
      unlinked: true,
    },
    '/links/other/leaf': { doc: {}, unlinked: true },
    '/links/counted': {
      doc: (origin, other) => ({
        body: `<a href="/about">one</a> <a href="${origin}/links/">two</a>
          <a href="${other}/a">out</a> <a href="${other}/b">out</a> <a href="mailto:x@example.test">mail</a>`,
      }),
      fields: { internal_links: 3, external_links: 2 },
      unlinked: true,
    },
  },
}

export const rules: Group = {
  hub: '/rules/',
  pages: {
    '/private/secret': { doc: { body: '<a href="/private/behind">behind</a>' }, listed: 'without robots' },
    '/private/behind': { doc: {}, unlinked: true, listed: 'without robots' },
    '/private/open': { doc: {} },
    '/tools/run.cgi': { doc: {}, listed: 'without robots' },
    '/tools/run.cgi?x=1': { doc: { h1: 'Run with a parameter' } },
    // Ours to fetch, but closed to search engines.
    '/only-star/page': { doc: {}, fields: { is_indexable: false } },
  },
}

export const sitemapOnly: Group['pages'] = {
  '/sitemap-only/one': {
    doc: { body: '<a href="/sitemap-only/linked">further</a>' },
    unlinked: true,
    listed: 'with sitemap',
  },
  '/sitemap-only/linked': { doc: {}, unlinked: true, listed: 'with sitemap' },
  '/sitemap-only/two': { doc: {}, unlinked: true, listed: 'with sitemap' },
  '/sitemap-only/three?a=1&b=2': { doc: {}, unlinked: true, listed: 'with sitemap' },
}
