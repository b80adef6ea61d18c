import { isSendableValue } from '../../../contract/headers.ts'

/** Signs that a token is certainly not a token, although a client takes it. */
export const tokenFaults = {
  scheme: {
    seen: 'the word "Bearer" stands before the token, and the client adds its own',
    hint: 'print the token alone, without "Bearer" before it',
  },
  'no-value': {
    seen: 'the token is a word such as null, None or undefined, which a program prints for a missing value',
    hint: 'find where the value is lost; without a token print nothing on stdout and end with another exit status than 0',
  },
  markup: {
    seen: 'the token begins with "<", as a page of a proxy or of a sign-in service does',
    hint: 'check the status and the type of the answer before you take a token from it',
  },
  json: {
    seen: 'the token is a JSON text, array or number',
    hint: 'print the token itself, such as with jq -r, or an object: {"token": "…"}',
  },
  sentence: {
    seen: 'the token has spaces in it, so it is a sentence, which a client would send',
    hint: 'on failure print nothing on stdout and end with another exit status than 0',
  },
  unsendable: {
    seen: 'the token has a character that no header can carry, such as a dash of a word processor or a colour of a terminal',
    hint: 'copy the token from where it was made, and not through a document or a chat',
  },
} as const

/** The name of one of the {@link tokenFaults}. */
export type TokenFault = keyof typeof tokenFaults

/** Finds the sign that a token is not a token; `undefined` if it may be one. */
export function detectTokenFault(token: string): TokenFault | undefined {
  if (/^(authorization\s*:\s*)?bearer(\s|$)/i.test(token)) return 'scheme'
  if (/^(null|undefined|none|nil|nan|true|false|\(null\)|\[object Object\])$/i.test(token)) return 'no-value'
  if (token.startsWith('<')) return 'markup'
  if (/^".*"$|^\[.*\]$|^-?\d+(\.\d+)?$/.test(token)) return 'json'
  if (/\s/.test(token)) return 'sentence'
  return isSendableValue(token) ? undefined : 'unsendable'
}
