/** What `probe` says of a document. */
export type State = { parsed: boolean; quietMs: number; empty: boolean }
/** What `serialise` makes of it. */
export type Document = { html: string; url: string }

/**
 * Runs inside the page, in a world of its own, where the page's scripts can neither see nor bend it. Attributes are not
 * watched: a carousel that changes styles would never be quiet.
 */
export const install = `(() => {
  let changedAt = performance.now()
  new MutationObserver(() => { changedAt = performance.now() })
    .observe(document, { childList: true, characterData: true, subtree: true })

  const letters = (node) => node.textContent.replace(/\\s+/g, '').length
  const isEmpty = (body) => {
    if (!body) return true
    if (document.links.length >= 3) return false
    let count = letters(body)
    for (const silent of body.querySelectorAll('script, style, noscript, template')) count -= letters(silent)
    return count < 200
  }
  const shadowRoots = (root) =>
    [...root.querySelectorAll('*')].flatMap(({ shadowRoot }) =>
      shadowRoot ? [shadowRoot, ...shadowRoots(shadowRoot)] : [])

  globalThis.probe = () => ({
    parsed: document.readyState !== 'loading',
    quietMs: performance.now() - changedAt,
    empty: isEmpty(document.body),
  })
  globalThis.serialise = (limit) => {
    const { doctype, documentElement: root } = document
    const roots = shadowRoots(document)
    const prolog = doctype ? new XMLSerializer().serializeToString(doctype) + '\\n' : ''
    const html = roots.length === 0
      ? root.outerHTML
      : root.cloneNode(false).outerHTML.replace('</html>', '') +
        // Shown in place: what is in a template would count as not there.
        root.getHTML({ shadowRoots: roots }).replace(/<template shadowrootmode="[^>]*>/g, '') + '</html>'
    return { html: (prolog + html).slice(0, limit), url: document.URL }
  }
})()`
