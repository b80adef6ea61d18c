import { vendor } from '../../vendor.ts'

/** Whether an API key is a placeholder, which somebody meant to replace. */
export function isPlaceholder(key: string): boolean {
  const text = key.trim()
  const rest = text.startsWith(vendor.keyPrefix) ? text.slice(vendor.keyPrefix.length) : text
  return patterns.some((pattern) => pattern.test(rest))
}

const patterns = [
  /^$/,
  /^[<[{(].*[>\]})]$/,
  /^\$\{?\w+\}?$/,
  /^%\w+%$/,
  /^(.)\1*$/,
  /\.{3}|…/,
  /\b(your|my|insert|enter|paste|replace|change)[-_ ]?(me|this|here|with|the|own|gateway|api|key|token)\b/i,
  /^(api[-_ ]?key|key|token|secret|placeholder|dummy|test|example|todo|tbd|none|null|undefined|unused|not[-_ ]?used|n\/a)$/i,
]
