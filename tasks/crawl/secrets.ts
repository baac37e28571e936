/** What stands before the underscore or hyphen of a secret: looked for by that sign, in a fortieth of the time. */
const HINT = /[_-](?<=[sr]k_live_|gh[opsu]_|_pat_|npm_|shpat_|dop_v1_|KEY-|glpat-|xox[abp]-|sk-(?:ant|proj)-)/
const HINTS = ['AKIA', 'ASIA', 'AccountKey=', 'SG.', 'hooks.slack.com/']
/** Keys whose form is theirs alone. Keys that are made to be seen, such as `pk_live_` and `AIza`, are none. */
const SECRET = new RegExp(
  [
    String.raw`\b(?:AKIA|ASIA)[A-Z2-7][A-Z0-9]{15}\b`,
    String.raw`\b[sr]k_live_[A-Za-z0-9]{24,}`,
    String.raw`-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----\s*[A-Za-z0-9+/=]{16}`,
    String.raw`\bgh[opsu]_[A-Za-z0-9]{36}`,
    String.raw`\bgithub_pat_[A-Za-z0-9_]{60,}`,
    String.raw`\bglpat-[A-Za-z0-9_-]{20,}`,
    String.raw`\bxox[abp]-\d+-[A-Za-z0-9-]{20,}`,
    String.raw`hooks\.slack\.com/services/T\w+/B\w+/\w{20,}`,
    String.raw`\bSG\.[\w-]{20,24}\.[\w-]{39,50}`,
    String.raw`\bsk-(?:ant|proj)-[\w-]{80,}`,
    String.raw`\bnpm_[A-Za-z0-9]{36}\b`,
    String.raw`\bshpat_[a-f0-9]{32}`,
    String.raw`AccountKey=[A-Za-z0-9+/]{86}==`,
    String.raw`\bdop_v1_[a-f0-9]{64}`,
  ].join('|'),
  'g',
)
/** A secret of fewer different signs is a placeholder. */
const SIGNS = 8

/** Whether a text holds a key that nobody but its owner should have. */
export function hasSecret(text: string): boolean {
  if (!HINT.test(text) && !HINTS.some((hint) => text.includes(hint))) return false
  for (const [secret] of text.matchAll(SECRET)) if (new Set(secret.slice(-20)).size >= SIGNS) return true
  return false
}
