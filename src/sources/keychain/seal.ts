import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'

/**
 * Creates the encrypted and authenticated form of a text, which differs each time.
 * @param purpose The purpose of the text, which is authenticated too. Decrypting it needs the same purpose.
 */
export function createSealed(text: string, key: KeyObject, purpose: string): string {
  const nonce = randomBytes(nonceBytes) // a nonce must never be used twice with one key
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes }).setAAD(Buffer.from(purpose))
  const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return sealed.toString('base64')
}

const nonceBytes = 12

/** AES-256-GCM with the lengths that NIST SP 800-38D recommends. */
const algorithm = 'aes-256-gcm'

const tagBytes = 16

/** Decrypts a text; `undefined` if it is incomplete, or was encrypted with another key or for another purpose. */
export function decodeSealed(sealed: string, key: KeyObject, purpose: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64')
  if (bytes.length < nonceBytes + tagBytes) return undefined
  const nonce = bytes.subarray(0, nonceBytes)
  try {
    const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes }).setAAD(Buffer.from(purpose))
    decipher.setAuthTag(bytes.subarray(-tagBytes))
    return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]).toString('utf8')
  } catch {
    return undefined // the authentication tag does not match
  }
}

export function createSealingKey(): KeyObject {
  return createSecretKey(randomBytes(keyBytes))
}

const keyBytes = 32

/** Encodes a key for the place that keeps it, in base64. */
export function encodeSealingKey(key: KeyObject): string {
  return key.export().toString('base64')
}

/** Decodes a key; `undefined` for a text that is not one. */
export function decodeSealingKey(text: string): KeyObject | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.length === keyBytes ? createSecretKey(bytes) : undefined
}
