import { type Response, Router } from 'express'

import { Problem } from '../problem.ts'
import { readToken, unsubscribe } from '../sql/unsubscribe.ts'
import { localsOf } from './exchange.ts'

const PATH = '/unsubscribe/:token'
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'"

const words = {
  it: {
    ask: 'Questo indirizzo non riceverà più gli avvisi di SEO Suite.',
    stop: 'Non ricevere più avvisi',
    done: 'Fatto: qui non arriveranno più avvisi.',
  },
  en: {
    ask: 'This address will receive no more alerts of SEO Suite.',
    stop: 'Stop the alerts',
    done: 'Done: no more alerts will come here.',
  },
}

/** Where the link in a mail leads. Looking changes nothing, for mail scanners look; a POST does (one click, RFC 8058). */
export const unsubscribing = Router()
  .get(PATH, async ({ params }, response) => {
    if ((await readToken(params.token)) === null) throw new Problem('not_found')
    const { ask, stop } = words[localsOf(response).locale]
    page(response, `<p>${ask}</p><form method="post"><button>${stop}</button></form>`)
  })
  .post(PATH, async ({ params }, response) => {
    if (!(await unsubscribe(params.token))) throw new Problem('not_found')
    page(response, `<p>${words[localsOf(response).locale].done}</p>`)
  })

function page(response: Response, content: string) {
  response.set({
    'Content-Security-Policy': POLICY,
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
  })
  response.type('html').send(`<!doctype html>
<html lang="${localsOf(response).locale}">
<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>SEO Suite</title>
<style>body { max-width: 30rem; margin: 4rem auto; padding: 0 1rem; font: 1rem/1.6 system-ui, sans-serif }</style>
${content}
</html>
`)
}
