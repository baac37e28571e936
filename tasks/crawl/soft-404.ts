import type { Facts } from './facts.ts'

/** Words of the main text up to which a page is hardly one. */
const TINY = 25

/** What titles and headings of pages say that are not there. */
const MISSING = new RegExp(
  [
    String.raw`(^|[^\w.,-])(error|errore|http|fehler|erreur)?\s*404($|[^\w.,-])`,
    String.raw`(page|file|content|document|article|product|resource|url) (you requested )?((was|is|could|can) not|cannot|can['’]t|couldn['’]t|wasn['’]t|isn['’]t|not) (be )?(found|available)`,
    String.raw`\bnot found\b`,
    String.raw`(page|product|article) (does not|doesn['’]t|no longer) exists?`,
    String.raw`(can['’]t|cannot|couldn['’]t|could not) find (that|this|the|your) page`,
    String.raw`nothing (was )?found`,
    String.raw`(pagina|risorsa|contenuto|articolo|prodotto|file|documento) (inesistente|non (è (stat[ao] )?(più )?)?(trovat[ao]|disponibile|esistente|esiste))`,
    String.raw`non (è stat[ao] )?trovat[ao]\b`,
    String.raw`nessun (risultato|contenuto) trovato`,
    String.raw`(seite|datei|artikel|produkt) (wurde )?nicht gefunden`,
    String.raw`page (introuvable|non trouvée|inexistante)`,
    String.raw`página no (encontrada|existe)`,
    String.raw`página não (encontrada|existe)`,
    String.raw`pagina niet gevonden`,
    String.raw`nie znaleziono strony`,
  ].join('|'),
  'i',
)

/** Whether a page that answers with success says that it is not there: two signs, at least one of them strong. */
export function isSoft404({ title, isErrorShell, text }: Facts, h1s: readonly string[], isNoindex: boolean) {
  const strong = [title !== null && MISSING.test(title), h1s.some((h1) => MISSING.test(h1)), isErrorShell]
  const weak = [isNoindex, text.mainWords <= TINY]
  const count = (signs: boolean[]) => signs.filter(Boolean).length
  return count(strong) > 0 && count(strong) + count(weak) >= 2
}
