import { hash, randomBytes } from 'node:crypto'
import { platformSecrets } from '../../contract/api-keys.ts'
import { Secret } from '../../runtime/secret.ts'
import { vendor } from '../../vendor.ts'

/** Creates a secret with 256 random bits. */
export function createSecret(kind: keyof typeof platformSecrets): NewSecret {
  const text = `${vendor.keyPrefix}${platformSecrets[kind].mark}-${randomBytes(32).toString('base64url')}`
  return {
    secret: new Secret(text),
    digest: digestSecret(text),
    hint: `${vendor.keyPrefix}${platformSecrets[kind].mark}-…${text.slice(-4)}`,
  }
}

/** A secret that is returned once. Only its digest is stored, and a hint by which a person recognizes it. */
interface NewSecret {
  readonly secret: Secret
  readonly digest: string
  readonly hint: string
}

/** The digest under which a secret is found. The secrets are random, so they cannot be guessed from a plain digest. */
export function digestSecret(secret: string): string {
  return hash('sha256', secret)
}
