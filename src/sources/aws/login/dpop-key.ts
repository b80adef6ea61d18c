import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'

/** A new key for the proofs of one sign-in; AWS takes P-256 only. */
export function createDpopKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
}

/** The key as the AWS CLI keeps it: PEM in the form of SEC 1 (RFC 5915), with lines of 64 characters. */
export function renderDpopKey(key: KeyObject): string {
  return key.export({ format: 'pem', type: 'sec1' }).toString()
}

/** The private key of a PEM in any form; `undefined` for another kind of key, and for what is none. */
export function parseDpopKey(pem: string): KeyObject | undefined {
  try {
    const key = createPrivateKey(pem)
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined
  } catch {
    return undefined // not a private key
  }
}
