import { createHash } from 'node:crypto'

/**
 * A digest of what the issuer signed, by which a second use of a JWT is known. Not of the whole token: of an ECDSA signature anybody
 * can make another one that is valid as well, without the key.
 */
export function digestSignedPart(jwt: string): string {
  return createHash('sha256')
    .update(jwt.slice(0, jwt.lastIndexOf('.')))
    .digest('hex')
}
