// Recognizes keys and other secrets of the platform by their form.

import { vendor } from '../vendor.ts'

/**
 * Lists when people are warned that a key expires, in epoch milliseconds, earliest first; empty for a short life, and for `null`, a key
 * that does not expire.
 * @param createdAt `-Infinity` if unknown, which counts as a long life.
 */
export function listWarnings(createdAt: number, expiresAt: number | null): number[] {
  if (expiresAt === null) return []
  return warnings
    .filter(({ livesDays }) => expiresAt - createdAt >= livesDays * dayMs)
    .map(({ aheadDays }) => expiresAt - aheadDays * dayMs)
}

/** A key that lives at least `livesDays` is announced `aheadDays` before it expires (platform specification). */
const warnings = [
  { livesDays: 14, aheadDays: 7 },
  { livesDays: 7, aheadDays: 1 },
] as const

const dayMs = 86_400_000

/** The prefixes of keys: those of the platform, and the most common one. */
const beginnings = [vendor.keyPrefix, 'sk-']

/** Returns whether a text contains something that looks like an API key, and so must not be repeated. Short texts are words. */
export function isKeyLike(text: string): boolean {
  return (text.match(keys) ?? []).some((key) => key.length >= 16)
}

const keys = new RegExp(`(?<![\\w.-])-*(?:${beginnings.map(escapeSigns).join('|')})[\\w.-]*`, 'g')

/** Escapes a prefix for a pattern, because it may contain special characters. */
function escapeSigns(start: string): string {
  return start.replace(/\W/g, '\\$&')
}

/** Returns whether a secret is a placeholder that was meant to be replaced. */
export function isPlaceholder(secret: string): boolean {
  const text = secret.trim()
  const unprefixed = text.startsWith(vendor.keyPrefix)
    ? text.slice(vendor.keyPrefix.length)
    : text.replace(issuerPrefix, '')
  return patterns.some((pattern) => pattern.test(text) || pattern.test(unprefixed))
}

/** A prefix that may precede the placeholder. */
const issuerPrefix = /^(bearer\s+|[a-z]{2,5}_|[a-z]{2,5}-)(?=\S)/i

/** The patterns test letters instead of word boundaries, because `_` is part of a word there. */
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

/** The kinds of the platform's secrets, by the mark after the vendor's prefix. */
interface PlatformSecret {
  readonly mark: string
  /** A noun with its article. */
  readonly title: string
  /** Whether it is valid until it is deleted, or until an end that it does not state. */
  readonly life: 'long' | 'short'
}

/** The first mark is in the specification; the others are our decision. */
export const platformSecrets = {
  key: { mark: 'api01', title: 'an API key of the platform', life: 'long' },
  administrative: { mark: 'admin01', title: 'an administrative API key of the platform', life: 'long' },
  federation: { mark: 'oat01', title: "an access token of the platform's token exchange", life: 'short' },
  attestation: { mark: 'dat01', title: 'an attestation token of the platform', life: 'short' },
} as const satisfies Readonly<Record<string, PlatformSecret>>

/** Finds the kind of a token; `unknown` if it has only the vendor's prefix, `undefined` for any other token. */
export function findPlatformSecret(token: string): keyof typeof platformSecrets | 'unknown' | undefined {
  if (!token.startsWith(vendor.keyPrefix)) return undefined
  const names = Object.keys(platformSecrets) as (keyof typeof platformSecrets)[] // the keys of a constant
  return names.find((name) => token.startsWith(`${vendor.keyPrefix}${platformSecrets[name].mark}-`)) ?? 'unknown'
}
