import { createHash } from 'node:crypto'

/** The mistakes that a test makes on purpose; none if absent. */
export interface PssFlaws {
  readonly salt?: Buffer
  readonly editDigest?: (digest: Buffer) => Buffer
  readonly editHash?: (hash: Buffer) => Buffer
  /** Changes padding, separator and salt before they are masked. */
  readonly editBlock?: (block: Buffer) => Buffer
  readonly maskHash?: 'sha256' | 'sha1' | 'none'
  readonly trailer?: number
}

/** Follows EMSA-PSS for SHA-256 (RFC 8017, section 9.1.1). */
export function encodePss(digest: Buffer, length: number, flaws: PssFlaws): Buffer {
  const { salt = Buffer.alloc(32, 5), maskHash = 'sha256', trailer = 0xbc } = flaws
  const message = Buffer.concat([Buffer.alloc(8), flaws.editDigest?.(digest) ?? digest, salt])
  const right = createHash('sha256').update(message).digest()
  const hash = flaws.editHash?.(right) ?? right
  const padding = Buffer.alloc(length - salt.length - 32 - 2)
  const plain = Buffer.concat([padding, Buffer.of(1), salt])
  const block = flaws.editBlock?.(plain) ?? plain
  const mask = maskHash === 'none' ? Buffer.alloc(block.length) : generateMask(hash, block.length, maskHash)
  const masked = Buffer.from(block.map((byte, at) => byte ^ mask[at]!))
  masked[0]! &= 0x7f
  return Buffer.concat([masked, hash, Buffer.of(trailer)])
}

/** Follows MGF1 (RFC 8017, appendix B.2.1). */
function generateMask(seed: Buffer, length: number, hash: string): Buffer {
  const rounds = Array.from({ length: Math.ceil(length / 20) }, (_, at) => {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(at)
    return createHash(hash)
      .update(Buffer.concat([seed, counter]))
      .digest()
  })
  return Buffer.concat(rounds).subarray(0, length)
}
