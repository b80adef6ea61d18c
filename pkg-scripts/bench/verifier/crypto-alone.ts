import { createPublicKey, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'

// A process of its own: how many signatures of the tokens in a file `crypto.verify` verifies in a second, and nothing else.
const [tokensPath = '', jwk = '', seconds = ''] = process.argv.slice(2)
const key = createPublicKey({ key: JSON.parse(jwk), format: 'jwk' })
const signed = readFileSync(tokensPath, 'utf8')
  .trim()
  .split('\n')
  .map((token) => {
    const at = token.lastIndexOf('.')
    return [Buffer.from(token.slice(0, at)), Buffer.from(token.slice(at + 1), 'base64url')] as const
  })
const startedAt = performance.now()
let count = 0
while (performance.now() - startedAt < Number(seconds) * 1000)
  for (const [input, signature] of signed) {
    if (!verify('sha256', input, { key, dsaEncoding: 'ieee-p1363' }, signature))
      throw new Error('a signature does not hold')
    count += 1
  }
process.stdout.write(String(count / ((performance.now() - startedAt) / 1000)))
