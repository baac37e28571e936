import type { Problem, ProblemKey } from '../problem.ts'

export type Locale = 'it' | 'en'

/** What each problem is called; `{word}` is a parameter of the problem. */
export const titles: Record<Locale, Record<ProblemKey | 'invalid_field', string>> = {
  it: {
    bad_request: 'Richiesta non valida',
    malformed_body: 'Il corpo della richiesta non è leggibile',
    consent_expired: 'Questo collegamento non è più valido: richiedine uno nuovo',
    missing_bearer: 'Manca la chiave API (intestazione Authorization: Bearer <api_key>)',
    missing_key: 'Manca la chiave API (intestazione X-API-Key o parametro api_key)',
    no_access: 'Chiave API non valida o account senza accesso alle API',
    consent_refused: "Il consenso non è stato dato: l'account non è stato collegato",
    not_found: 'Risorsa non trovata',
    api_disabled: 'Risorsa non trovata',
    method_not_allowed: 'Metodo non consentito',
    no_datasource: 'La fonte dei dati sulle parole chiave non è configurata',
    external_not_configured: "L'integrazione con l'account di ricerca esterno non è configurata",
    not_connected: "L'account di ricerca esterno non è collegato",
    not_consented: "L'account di ricerca esterno è collegato senza il consenso per {feature}: ricollegalo",
    body_too_large: 'Il corpo della richiesta supera 1 MiB',
    range: "L'intervallo richiesto non esiste",
    invalid: 'Dati mancanti o non validi',
    invalid_field: 'Valore mancante o non valido: {field}',
    still_crawling: 'La scansione è già in corso',
    too_many_channels: 'Non si possono avere più di {limit} canali',
    rate_limited: 'Troppe richieste: superato il limite di {limit} al minuto',
    quota: 'Raggiunto il limite di utilizzo: riprova più tardi',
    matrix_quota: 'Raggiunto il limite di analisi a matrice: riprova più tardi',
    spend_limit: 'Raggiunto il limite di spesa di oggi per le analisi AI',
    cooldown: 'Aggiornamento eseguito da poco: riprova più tardi',
    internal: 'Errore interno del servizio',
    upstream_failed: 'Il servizio esterno non ha risposto correttamente',
    refresh_failed: 'Aggiornamento interrotto: {refreshed} parole chiave aggiornate su {total}',
    no_engine:
      'Nessun motore di risposta AI è configurato (OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY o PERPLEXITY_API_KEY)',
  },
  en: {
    bad_request: 'Bad request',
    malformed_body: 'The request body cannot be read',
    consent_expired: 'This link is no longer valid: ask for a new one',
    missing_bearer: 'The API key is missing (header Authorization: Bearer <api_key>)',
    missing_key: 'The API key is missing (header X-API-Key or parameter api_key)',
    no_access: 'The API key is not valid, or its account has no access to the API',
    consent_refused: 'Consent was not given: the account has not been connected',
    not_found: 'Not found',
    api_disabled: 'Not found',
    method_not_allowed: 'Method not allowed',
    no_datasource: 'The keyword data source is not configured',
    external_not_configured: 'The external search account is not configured',
    not_connected: 'The external search account is not connected',
    not_consented: 'The external search account was connected without consent to {feature}: connect it again',
    body_too_large: 'The request body is larger than 1 MiB',
    range: 'There is no such range',
    invalid: 'Missing or invalid data',
    invalid_field: 'Missing or invalid value: {field}',
    still_crawling: 'The scan is still crawling',
    too_many_channels: 'There can be no more than {limit} channels',
    rate_limited: 'Too many requests: over the limit of {limit} a minute',
    quota: 'Usage limit reached: try again later',
    matrix_quota: 'Limit of matrix analyses reached (limite): try again later',
    spend_limit: "Limit of today's spending on AI analyses reached (limite)",
    cooldown: 'Refreshed a short while ago: try again later',
    internal: 'Internal error',
    upstream_failed: 'The external service did not answer properly',
    refresh_failed: 'The refresh broke off: {refreshed} of {total} keywords were refreshed',
    no_engine:
      'No AI answer engine is configured (OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY or PERPLEXITY_API_KEY)',
  },
}

/** A problem in words: one title, or one for each field that a validation refused. */
export function titlesOf(problem: Problem, locale: Locale): string[] {
  const fields = problem.key === 'invalid' && problem.params['field']
  if (!fields) return [titleOf(problem, locale)]
  return String(fields)
    .split(',')
    .map((field) => fill(titles[locale].invalid_field, { field }))
}

/** What is wrong, whichever fields it is about. */
export function titleOf(problem: Problem, locale: Locale): string {
  const { reason } = problem.params
  return fill(titles[locale][problem.key], problem.params) + (reason ? `: ${reason}` : '')
}

function fill(title: string, params: Problem['params']) {
  return title.replaceAll(/\{(\w+)\}/g, (slot, word: string) => String(params[word] ?? slot))
}
