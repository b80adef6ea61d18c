import { hash, randomBytes } from 'node:crypto'
import { Secret } from '../../runtime/secret.ts'
import { vendor } from '../../vendor.ts'

/** How each kind of secret begins after the vendor's prefix. The first is in the specification, the others are our decision. */
const marks = { key: 'api01', administrative: 'admin01', federation: 'oat01', attestation: 'dat01' } as const

/** A secret that is returned once. Only its digest is stored, and a hint by which a person recognizes it. */
interface NewSecret {
  readonly secret: Secret
  readonly digest: string
  readonly hint: string
}

/** Creates a secret with 256 random bits. */
export function createSecret(kind: keyof typeof marks): NewSecret {
  const text = `${vendor.keyPrefix}${marks[kind]}-${randomBytes(32).toString('base64url')}`
  return {
    secret: new Secret(text),
    digest: digestSecret(text),
    hint: `${vendor.keyPrefix}${marks[kind]}-…${text.slice(-4)}`,
  }
}

/** The digest under which a secret is found. The secrets are random, so they cannot be guessed from a plain digest. */
export function digestSecret(secret: string): string {
  return hash('sha256', secret)
}
