import { randomBytes } from 'node:crypto'

/** How the identifiers of each kind begin. */
export const idPrefixes = {
  organization: 'org',
  workspace: 'wrkspc',
  user: 'user',
  serviceAccount: 'svac',
  apiKey: 'apikey',
  accessToken: 'acctok',
  issuer: 'fdis',
  rule: 'fdrl',
  session: 'sesn',
  resource: 'sesrsc',
  memoryStore: 'memstore',
  file: 'file',
  event: 'sevt',
  message: 'msg',
  request: 'req',
} as const

export type IdKind = keyof typeof idPrefixes

/**
 * Identifiers that sort in the order in which they were made: 48 bits of time and 80 of chance, which count up within a
 * millisecond and while the clock stands still or goes back.
 */
export function createIdentifiers(now: () => number): (kind: IdKind) => string {
  let time = 0
  let tail = 0n
  return (kind) => {
    const isLater = now() > time
    time = isLater ? now() : time
    tail = isLater ? BigInt(`0x${randomBytes(9).toString('hex')}`) : tail + 1n
    return `${idPrefixes[kind]}_${((BigInt(time) << 80n) | tail).toString(32).padStart(26, '0')}`
  }
}

/** Whether `text` has the form of an identifier of this kind; whether there is such a thing is another question. */
export function isIdentifier(kind: IdKind, text: string): boolean {
  const [prefix, letters = ''] = text.split('_', 2)
  return prefix === idPrefixes[kind] && /^[0-9a-v]{26}$/.test(letters) && text.length === prefix.length + 27
}
