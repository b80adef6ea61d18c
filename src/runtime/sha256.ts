/**
 * SHA-256 (FIPS 180-4). It is computed here, because an uncached call signs within milliseconds: loading `node:crypto` takes longer
 * than the whole call, and a library's code for large inputs takes twice as long for the few blocks that one signature has, none of
 * which is compiled to machine code in time. Rotations are therefore written out, and words are signed, which need no memory.
 */
export function digestSha256(bytes: Uint8Array): Buffer {
  const padded = Buffer.alloc(Math.ceil((bytes.length + endBytes) / blockBytes) * blockBytes)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  padded.writeBigUInt64BE(BigInt(bytes.length) * 8n, padded.length - 8)
  const state = Int32Array.from(initialState)
  const words = new Int32Array(64)
  for (let at = 0; at < padded.length; at += blockBytes) {
    readWords(words, padded, at)
    mixBlock(state, words)
  }
  const digest = Buffer.alloc(32)
  for (let index = 0; index < 8; index += 1) digest.writeInt32BE(state[index]!, 4 * index)
  return digest
}

/** HMAC with SHA-256 (RFC 2104). */
export function signHmac(key: Uint8Array, message: Uint8Array): Buffer {
  const short = key.length > blockBytes ? digestSha256(key) : key
  const pad = (byte: number) => Buffer.alloc(blockBytes, byte).map((each, index) => each ^ (short[index] ?? 0))
  return digestSha256(Buffer.concat([pad(0x5c), digestSha256(Buffer.concat([pad(0x36), message]))]))
}

const blockBytes = 64

/** After the message come one bit, and the length in 8 bytes. */
const endBytes = 9

const initialState = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19]

// biome-ignore format: eight in a row, as in the standard
const roundConstants = Int32Array.of(
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
)

/** The 16 words of a block, and the 48 that follow from them. */
function readWords(words: Int32Array, bytes: Uint8Array, from: number): void {
  for (let index = 0, at = from; index < 16; index += 1, at += 4)
    words[index] = (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!
  for (let index = 16; index < 64; index += 1) {
    const x = words[index - 15]!
    const y = words[index - 2]!
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3)
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10)
    words[index] = words[index - 16]! + s0 + words[index - 7]! + s1
  }
}

/** The 64 rounds of a block, in the letters of the standard. */
function mixBlock(state: Int32Array, words: Int32Array): void {
  let [a, b, c, d, e, f, g, h] = state as unknown as Eight
  for (let index = 0; index < 64; index += 1) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
    const t1 = (h + s1 + (g ^ (e & (f ^ g))) + roundConstants[index]! + words[index]!) | 0
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
    const t2 = s0 + ((a & b) | (c & (a | b)))
    h = g
    g = f
    f = e
    e = (d + t1) | 0
    d = c
    c = b
    b = a
    a = (t1 + t2) | 0
  }
  const mixed = [a, b, c, d, e, f, g, h]
  for (let index = 0; index < 8; index += 1) state[index]! += mixed[index]!
}

/** The state is typed as a list of any length. */
type Eight = readonly [number, number, number, number, number, number, number, number]
