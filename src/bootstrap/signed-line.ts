// Signs and verifies the files of a release, and parses the keys for that.

import { createPrivateKey, createPublicKey, generateKeyPairSync, hash, type KeyObject, sign, verify } from 'node:crypto'
import { decodeText } from '../runtime/text/decode-text.ts'
import { parseJson, toObject } from '../runtime/values/json-value.ts'

/** A key that verifies releases. A signature names it by its id. */
export interface PublicKey {
  /** The beginning of the key's SHA-256 (DER, SubjectPublicKeyInfo), which signatures contain. */
  readonly id: string
  readonly key: KeyObject
}

/** A key that signs releases, with the public half that verifies them. */
export interface SigningKey extends PublicKey {
  readonly privateKey: KeyObject
}

/**
 * Renders a value as a signed file: a line of JSON, and a line with its Ed25519 signature (RFC 8032). The signature covers the first line
 * without its line feed, so that `openssl` can verify it too.
 */
export function renderSigned(value: object, { id, privateKey }: SigningKey): string {
  const line = JSON.stringify(value)
  return `${line}\n${renderSignature(id, sign(null, Buffer.from(line), privateKey))}\n`
}

function renderSignature(id: string, signature: Buffer): string {
  return JSON.stringify({ key: id, signature: signature.toString('base64') })
}

/** The value of a signed file, or why it cannot be used. */
type SignedValue = { readonly value: unknown } | { readonly problem: 'not-signed' | 'unknown-key' | 'bad-signature' }

/** Verifies the bytes of a signed file, and then parses its value. */
export function parseSigned(bytes: Uint8Array, keys: readonly PublicKey[]): SignedValue {
  const [line, second = '', ...rest] = decodeText(bytes)?.split('\n') ?? []
  const { key: id, signature } = toObject(parseJson(second))
  if (line === undefined || rest.length !== 1 || rest[0] !== '') return { problem: 'not-signed' }
  if (typeof id !== 'string' || typeof signature !== 'string') return { problem: 'not-signed' }
  const bytesOfSignature = Buffer.from(signature, 'base64')
  // Only one spelling of a signature is valid, so that nobody can change a file without invalidating it.
  if (second !== renderSignature(id, bytesOfSignature)) return { problem: 'not-signed' }
  const found = keys.find((key) => key.id === id)
  if (!found) return { problem: 'unknown-key' }
  const isGood = verify(null, Buffer.from(line), found.key, bytesOfSignature)
  return isGood ? { value: parseJson(line) } : { problem: 'bad-signature' }
}

/** Parses the public keys in a PEM file (RFC 7468), which may contain several; empty if one of them is not an Ed25519 key. */
export function parsePublicKeys(pem: string): PublicKey[] {
  const blocks = pem.match(/-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g) ?? []
  const keys = blocks.map((block) => findEd25519Key(() => createPublicKey(block)))
  return keys.every((key) => key !== undefined) ? keys.map(toPublicKey) : []
}

/** Parses the signing key in a PEM file (PKCS #8, RFC 8410); `undefined` unless it contains an Ed25519 key without a passphrase. */
export function parseSigningKey(pem: string): SigningKey | undefined {
  const privateKey = findEd25519Key(() => createPrivateKey(pem))
  return privateKey && { ...toPublicKey(createPublicKey(privateKey)), privateKey }
}

/** Creates a key pair as two PEM files. */
export function createKeyPair(): { readonly signing: string; readonly public: string; readonly id: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  return {
    signing: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    public: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    id: toPublicKey(publicKey).id,
  }
}

function findEd25519Key(read: () => KeyObject): KeyObject | undefined {
  try {
    const key = read()
    return key.asymmetricKeyType === 'ed25519' ? key : undefined
  } catch {
    return undefined // not a key; OpenSSL's message would not help
  }
}

function toPublicKey(key: KeyObject): PublicKey {
  const der = key.export({ type: 'spki', format: 'der' })
  return { id: hash('sha256', der).slice(0, 16), key }
}
