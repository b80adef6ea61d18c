import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import type { Checksum, SourceData } from '@smithy/types'

/**
 * SHA-256 for the SDK's signer, or HMAC (RFC 2104) where a secret is given. It is written in JavaScript because loading
 * `node:crypto` takes longer than everything else that an uncached call does without network.
 */
export class SigningHash implements Checksum {
  readonly #secret: Uint8Array | undefined
  #hash: ReturnType<typeof sha256.create> | ReturnType<typeof hmac.create>

  constructor(secret?: SourceData) {
    this.#secret = secret === undefined ? undefined : toBytes(secret)
    this.#hash = this.#start()
  }

  update(data: SourceData): void {
    this.#hash.update(toBytes(data))
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest()
  }

  reset(): void {
    this.#hash = this.#start()
  }

  #start() {
    return this.#secret ? hmac.create(sha256, this.#secret) : sha256.create()
  }
}

function toBytes(data: SourceData): Uint8Array {
  if (typeof data === 'string') return Buffer.from(data)
  return ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(data)
}
