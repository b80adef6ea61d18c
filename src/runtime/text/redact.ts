import { keyServices } from '../../contract/aws/keys.ts'
import { vendor } from '../../vendor.ts'
import { secretMark } from '../secret.ts'
import { isCredentialText } from './credential-text.ts'
import { escapePattern, hideSecrets, hideUrlSecrets, jwtPattern } from './hide-secrets.ts'

/**
 * Replaces these secrets in a text: whole, encoded, and in parts of at least eight characters. Everything else that looks like a credential
 * is replaced too.
 */
export function redact(text: string, secrets: readonly string[]): string {
  return hidePatterns(hideUrlSecrets(hideSecrets(text, secrets.map(dropPublicPart))))
}

/** Lists headers by their names, with marks in place of the values. */
export function hideHeaderValues(names: readonly string[]): string[] {
  return names.map((name) => `${name}: ***`)
}

/** Removes the beginning that all keys of a service share, which is not secret, and is part of a helper's name. */
function dropPublicPart(secret: string): string {
  const { prefix = '' } = keyServices.find(({ prefix }) => secret.startsWith(prefix)) ?? {}
  return secret.slice(prefix.length)
}

/** An IPv4 address or a lower-case host name, with or without a port. */
const host = /(?:(?:\d{1,3}\.){3}\d{1,3}|(?:[a-z0-9-]{1,30}\.){1,5}[a-z]{2,10})(?::\d{1,5})?/

/** An option whose value is a secret. The place, the name and the kind of a secret are not secret. */
const secretOption =
  /--[\w-]{0,40}(?:token|secret|password|key)(?![\w-]{0,40}-(?:store|type|url|uri|file|path|variable|name|pointer)\b)[\w-]{0,40}[ =]/

/** The forms of credentials, and the values after a word that announces one. Lookbehinds are bounded, because texts may be long. */
const patterns: readonly RegExp[] = [
  /-----BEGIN [A-Z0-9 ]{1,40}-----[^-]*(?:-----END [A-Z0-9 ]{1,40}-----)?/g,
  /eyJpYW1faHR0cF9[\w+/=-]+/g, // a login of Vault
  jwtPattern,
  ...keyServices.map(({ prefix }) => new RegExp(`${escapePattern(prefix)}[\\w+/=-]+`, 'g')),
  ...keyServices.flatMap(({ longTermPrefix: start }) => (start ? [new RegExp(`\\b${start}[\\w+/=]{8,}`, 'g')] : [])),
  new RegExp(`${escapePattern(vendor.keyPrefix)}[\\w-]{4,}`, 'g'),
  /\b(?:AKIA|ASIA)[A-Z0-9]{12,}\b/g,
  /(?<=\b(?:bearer|basic)\s{1,8})[^\s"',;]+/gi,
  createAnnouncedPattern('["\']?[=:]["\']?', '[^\\s"\',;]+'),
  createAnnouncedPattern('["\']\\s{0,8}[=:]\\s{0,8}["\']', '[^\\s"\',;]+'),
  // Sentences such as "no token: the keychain is locked" hold no credential; nor does a host after a helper's name.
  createAnnouncedPattern('\\s{0,8}[=:]\\s{1,8}', `(?!${host.source}\\s|https?://)(?=\\S*\\d)[^\\s"',;]{6,}`),
  // Another option is not a value, and an address is not secret once its user, password and query are hidden.
  new RegExp(`(?<=${secretOption.source})(?!--[a-z][a-z-]*(?:[\\s=]|$)|https?://)[^\\s"',;]+`, 'gi'),
  // Every long mixed word, except a request id, which a support ticket needs.
  /(?<![\w/+-])(?!(?:req_)?[0-9a-f]{8}-[0-9a-f]{4}-)(?=[\w+-]*\d)(?=[\w+-]*[A-Za-z])[\w+-]{32,}={0,2}/g,
]

function createAnnouncedPattern(between: string, value: string): RegExp {
  return new RegExp(`(?<=(?:token|secret|password|passwd|api[-_]?key|credential)${between})${value}`, 'gi')
}

function hidePatterns(text: string): string {
  const rest = patterns.reduce((shown, pattern) => shown.replace(pattern, secretMark), text)
  return rest.replace(/[^\s"'`,;:=()<>[\]]+/g, (word) => (isCredentialText(word) ? secretMark : word))
}
