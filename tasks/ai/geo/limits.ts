const MB = 2 ** 20

/** Bounds of one page audit. Milliseconds, bytes, counts. */
export const limits = {
  /** For reaching the page, half of it by https and half by http where both are tried; then for all the rest. */
  reachMs: 30_000,
  gatherMs: 30_000,
  /** For one request; for all sitemaps; for rendering the page. */
  requestMs: 8_000,
  sitemapsMs: 8_000,
  renderMs: 20_000,
  /** Read of the audited page, rendered or not; of any other answer. */
  pageBytes: 3 * MB,
  answerBytes: MB,
  /** Requests in flight, besides those for robots.txt and sitemaps, and the browser's. */
  atOnce: 4,
  redirects: 5,
  /** Pages looked at besides the audited one, and addresses of sitemaps that they are chosen from. */
  sampledPages: 5,
  listedPages: 500,
}
