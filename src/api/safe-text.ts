import { toOneLine } from '../runtime/failure.ts'
import { secretMark } from '../runtime/secret.ts'
import { hideSecrets, jwtPattern } from '../runtime/text/hide-secrets.ts'

/** The hint for an answer that does not come from the API. */
export const addressHint = "check that the address is the API's, and not that of a web page or a proxy in front of it"

/**
 * Makes a server's text safe to print: on one line, without characters that control a terminal or change the direction of writing (Unicode
 * category Cf), without the secrets that were sent, without any JSON Web Token, because a server can repeat one that it has from elsewhere,
 * and cut to a length that a person reads.
 */
export function toSafeText(text: string, secrets: readonly string[]): string {
  const safe = hideSecrets(toOneLine(text.replace(/\p{Cf}/gu, '')), secrets).replace(jwtPattern, secretMark)
  return safe.length > longestText ? `${safe.slice(0, longestText)}…` : safe
}

/** How much of a server's own text is repeated, in characters. */
const longestText = 300

/** Returns a server's code or identifier; `undefined` for a text that does not look like one, or that repeats a secret. */
export function toSafeCode(text: unknown, secrets: readonly string[]): string | undefined {
  if (typeof text !== 'string' || !/^[\w.:-]{1,64}$/.test(text)) return undefined
  return hideSecrets(text, secrets) === text ? text : undefined
}
