import { hash, randomBytes, randomUUID } from 'node:crypto'
import { platformSecrets } from '../../contract/api-keys.ts'
import { Secret } from '../../runtime/secret.ts'
import { vendor } from '../../vendor.ts'

/** The kind of a resource, which determines the prefix of its identifier. */
export type IdKind = keyof typeof idPrefixes

/**
 * Creates identifiers that sort by creation: 48 bits of time, then 80 bits that begin at random. They are incremented within one
 * millisecond, and while the clock stands still or goes back.
 */
export function createIdentifiers(now: () => number): (kind: IdKind) => string {
  let time = 0
  let tail = 0n
  return (kind) => {
    const isLater = now() > time
    time = isLater ? now() : time
    tail = isLater ? createTail() : tail + 1n
    return `${idPrefixes[kind]}_${time.toString(32).padStart(10, '0')}${tail.toString(32).padStart(16, '0')}`
  }
}

/** How the identifiers of each kind begin. */
const idPrefixes = {
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

/**
 * Draws 72 random bits, so that 80 bits have room for more than a million increments: both ends of a UUID of version 4, because Node
 * generates UUIDs in advance.
 */
function createTail(): bigint {
  const uuid = randomUUID()
  return BigInt(`0x${uuid.slice(0, 8)}${uuid.slice(-10)}`)
}

/** Returns whether `text` has the form of an identifier of this kind, which need not exist. */
export function isIdentifier(kind: IdKind, text: string): boolean {
  const [prefix, letters = ''] = text.split('_', 2)
  return prefix === idPrefixes[kind] && /^[0-9a-v]{26}$/.test(letters) && text.length === prefix.length + 27
}

/** Creates a secret with 256 random bits. */
export function createSecret(kind: keyof typeof platformSecrets): NewSecret {
  const text = `${vendor.keyPrefix}${platformSecrets[kind].mark}-${randomBytes(32).toString('base64url')}`
  return {
    secret: new Secret(text),
    digest: digestSecret(text),
    hint: `${vendor.keyPrefix}${platformSecrets[kind].mark}-…${text.slice(-4)}`,
  }
}

/** A secret that is returned once. Only its digest and a hint for recognition are stored. */
interface NewSecret {
  readonly secret: Secret
  readonly digest: string
  readonly hint: string
}

/** Computes the digest under which a secret is found. The secrets are random, so they cannot be guessed from a plain digest. */
export function digestSecret(secret: string): string {
  return hash('sha256', secret)
}
