// A process of its own: how many tokens of a file are verified in a second without HTTP, by a verifier with the policy of the last file, which
// remembers nothing, or by `crypto.verify` alone, which looks at the signature and nothing else.

import { createPublicKey, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import {
  createIssuerKeys,
  createMemoryReplayStore,
  createVerifier,
  type Fetch,
  parsePolicy,
  type Verifier,
} from '../../../src/library/verify.ts'

const [tokensPath = '', jwk = '', seconds = '', policyPath] = process.argv.slice(2)
/** The time after which the code of a process that runs for long is compiled. */
const warmUpMs = 3_000
const tokens = readFileSync(tokensPath, 'utf8').trim().split('\n')
const verifyAll = policyPath === undefined ? createSignatureLoop() : createVerifierLoop(openVerifier(policyPath))
for (const begun = performance.now(); performance.now() - begun < warmUpMs; ) await verifyAll()
const [startedAt, before] = [performance.now(), process.cpuUsage()]
let count = 0
while (performance.now() - startedAt < Number(seconds) * 1000) {
  await verifyAll()
  count += tokens.length
}
const { user, system } = process.cpuUsage(before)
const perSec = count / ((performance.now() - startedAt) / 1000)
process.stdout.write(JSON.stringify({ perSec, perCpuSec: count / ((user + system) / 1e6) }))

function createSignatureLoop(): () => void {
  const key = createPublicKey({ key: JSON.parse(jwk), format: 'jwk' })
  const signed = tokens.map((token) => {
    const at = token.lastIndexOf('.')
    return [Buffer.from(token.slice(0, at)), Buffer.from(token.slice(at + 1), 'base64url')] as const
  })
  return () => {
    for (const [input, signature] of signed)
      if (!verify('sha256', input, { key, dsaEncoding: 'ieee-p1363' }, signature))
        throw new Error('a signature does not hold')
  }
}

function openVerifier(path: string): Verifier {
  const reading = parsePolicy(readFileSync(path))
  if (!reading.policy) throw new Error('the policy does not hold')
  const { policy } = reading
  const now = Date.now
  const fetch: Fetch = async (url) => {
    throw new Error(`nothing is fetched, not even ${url}`)
  }
  const keys = createIssuerKeys({ fetch, now })
  return createVerifier({
    policy: () => policy,
    keys,
    fetch,
    now,
    replay: createMemoryReplayStore({ now }),
    limits: { cacheEntries: 0 },
  })
}

function createVerifierLoop(verifier: Verifier): () => Promise<void> {
  return async () => {
    for (const token of tokens)
      if ((await verifier.verify(token)).outcome !== 'accepted') throw new Error('a token does not pass')
  }
}
