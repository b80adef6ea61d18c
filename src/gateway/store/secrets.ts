import { createHash, randomBytes } from 'node:crypto'
import { Secret } from '../../runtime/secret.ts'
import { vendor } from '../../vendor.ts'

/** How each kind of secret begins after the vendor's own prefix. The first is in the specification, the others are ours. */
const marks = { key: 'api01', administrative: 'admin01', federation: 'oat01', attestation: 'dat01' } as const

/** A secret that is handed out once. What is kept is its digest, and a hint by which a person recognizes it. */
export interface NewSecret {
  readonly secret: Secret
  readonly digest: string
  readonly hint: string
}

/** Makes a secret of 256 bits of chance. */
export function createSecret(kind: keyof typeof marks): NewSecret {
  const text = `${vendor.keyPrefix}${marks[kind]}-${randomBytes(32).toString('base64url')}`
  return {
    secret: new Secret(text),
    digest: digestOf(text),
    hint: `${vendor.keyPrefix}${marks[kind]}-…${text.slice(-4)}`,
  }
}

/** Under which a secret is looked up. Our own secrets are pure chance, so a plain digest cannot be guessed back. */
export function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
