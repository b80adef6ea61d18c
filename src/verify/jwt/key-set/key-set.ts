import type { KeyObject } from 'node:crypto'
import type { SignatureAlgorithm } from '../../../contract/signature-algorithms.ts'

/** A public key of an issuer, imported once. */
export interface PublishedKey {
  readonly kid: string | undefined
  /** What may be verified by it. */
  readonly algorithms: readonly SignatureAlgorithm[]
  readonly key: KeyObject
}

/** What an issuer publishes (RFC 7517, section 5), as far as it can be used. */
export interface KeySet {
  readonly keys: readonly PublishedKey[]
  /** Why others are not used, one sentence each. */
  readonly unused: readonly string[]
}

/** What of a token's header chooses the key. */
export interface KeyHeader {
  readonly kid: string | undefined
  readonly alg: SignatureAlgorithm
}
