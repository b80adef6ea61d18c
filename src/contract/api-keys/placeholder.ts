import { vendor } from '../../vendor.ts'

/** Whether a secret is a placeholder, which somebody meant to replace. */
export function isPlaceholder(secret: string): boolean {
  const text = secret.trim()
  const rest = text.startsWith(vendor.keyPrefix) ? text.slice(vendor.keyPrefix.length) : text.replace(issuerPrefix, '')
  return patterns.some((pattern) => pattern.test(text) || pattern.test(rest))
}

/** What may stand before the part that was to be replaced. */
const issuerPrefix = /^(bearer\s+|[a-z]{2,5}_|[a-z]{2,5}-)(?=\S)/i

/** Letters are tested instead of word boundaries, because `_` would be part of a word. */
const patterns = [
  /^$/,
  /^[<[{(].*[>\]})]$/,
  /<[^<>]+>|\{\{.+\}\}|\$\{\w+\}/,
  /^\$\w+$|^%\w+%$|^__\w+__$|^@\w+@$/,
  /^(.)\1*$/,
  /(?<![a-z0-9])x{3,}(?![a-z0-9])|x{6,}/i,
  /\.{3}|…|[*•]{3}/,
  /(?<![a-z])(your|insert|enter|paste|replace|change|fill)[-_ ]?(me|this|here|with|the|own|it|in|gateway|api|key|token|secret|password|access|value)/i,
  /(?<![a-z])my[-_ ]?(own|gateway|api|key|token|secret|password|access)/i,
  /(key|token|secret|password|value)[-_ ]?(goes[-_ ]?)?here(?![a-z])/i,
  /^((api|access|client|gateway|test|example|sample|dummy|fake|demo|foo|bar|some|secret|key|token|password|placeholder|value)[-_ ]?)+\d{0,3}$/i,
  /^(todo|fixme|tbd|tba|none|null|nil|undefined|unused|empty|default|string|unknown|changeit|not[-_ ]?(used|set|needed)|n\/a|-+)$/i,
  /^(0?123456789?0?|12345|abc123|abcdef|abcdefgh?|qwerty)$/i,
]
