import { type Response, Router } from 'express'
import { z } from 'zod'

import { GOOGLE_CALLBACK } from '../config.ts'
import { Problem } from '../problem.ts'
import { useConsent } from '../sql/external-consents.ts'
import { ask } from '../tasks/jobs.ts'
import { document, documentHeaders } from './document.ts'
import { localsOf } from './exchange.ts'
import { html } from './html.ts'
import { titleOf } from './titles.ts'

/** Longer than the exchange of a code takes at most. */
const WITHIN_SECONDS = 45

const words = {
  it: {
    connected: (email: string, account: string) => `L'account Google ${email} è collegato a ${account}.`,
    close: 'Questa pagina si può chiudere.',
    undo: 'Se non riconosci questo collegamento, toglilo nelle impostazioni del tuo account Google.',
  },
  en: {
    connected: (email: string, account: string) => `The Google account ${email} is connected to ${account}.`,
    close: 'You may close this page.',
    undo: 'If you do not know of this connection, remove it in the settings of your Google account.',
  },
}

const Returned = z.object({ state: z.string().max(200), code: z.string().min(1).max(4096).optional() })

/** Where Google sends a browser back to, with a code or a refusal. No key comes with it: the state tells whose it is. */
export const oauth = Router().get(GOOGLE_CALLBACK, async ({ query }, response) => {
  const { locale } = localsOf(response)
  try {
    const { email, account } = await connect(query)
    const { connected, close, undo } = words[locale]
    page(response, [connected(email ?? '…', account), close, undo])
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    page(response.status(error.status), [titleOf(error, locale)])
  }
})

async function connect(query: unknown) {
  const returned = Returned.safeParse(query)
  if (!returned.success) throw new Problem('consent_expired')
  const { state, code } = returned.data
  const used = await useConsent(state, code ?? null)
  if (!used) throw new Problem('consent_expired')
  if (code === undefined) throw new Problem('consent_refused')
  // The fleet exchanges the code: this process never holds a token.
  const { email } = await ask('external.connect', { consent: used.id }, { within: WITHIN_SECONDS })
  return { email, account: used.account }
}

function page(response: Response, lines: readonly string[]) {
  const lang = localsOf(response).locale
  const body = html`<main>
    <h1>SEO Suite</h1>
    ${lines.map((line) => html`<p>${line}</p>`)}
  </main>`
  response
    .set({ ...documentHeaders, 'Cache-Control': 'no-store' })
    .type('html')
    .send(document({ lang, title: 'SEO Suite', body }))
}
