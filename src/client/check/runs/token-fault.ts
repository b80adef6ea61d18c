/** Tokens that are certainly none, although a client would send them. */
export const tokenFaults = {
  scheme: {
    seen: 'the word "Bearer" stands before the token, and the client adds its own',
    hint: 'print the token alone, without "Bearer" before it',
  },
  'no-value': {
    seen: 'the token is a word such as null, None or undefined, which a program prints that has no value',
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
} as const

/** See {@link tokenFaults}. */
export type TokenFault = keyof typeof tokenFaults

/** What shows that a token is none; `undefined` where it may be one. */
export function detectTokenFault(token: string): TokenFault | undefined {
  if (/^(authorization\s*:\s*)?bearer(\s|$)/i.test(token)) return 'scheme'
  if (/^(null|undefined|none|nil|nan|true|false|\(null\)|\[object Object\])$/i.test(token)) return 'no-value'
  if (token.startsWith('<')) return 'markup'
  if (/^".*"$|^\[.*\]$|^-?\d+(\.\d+)?$/.test(token)) return 'json'
  return /\s/.test(token) ? 'sentence' : undefined
}
