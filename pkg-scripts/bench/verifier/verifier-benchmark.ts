// Folder: `npm run bench -- verifier`, a verifier under load, beside the web framework alone.

import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { bundleAll } from '../../bundle/bundle.ts'
import { renderLoadAverage } from '../report.ts'
import { type BenchPolicy, writeBenchPolicy } from './bench-policy.ts'
import { measureWaits } from './measure-waits.ts'
import { type PinnedServer, serverCore, startBareServer, startVerifier } from './pinned-server.ts'
import { measureRate, renderRate, runWrk } from './run-wrk.ts'

/** How much a run measures. */
interface VerifierLoad {
  /** The length of each measurement. */
  readonly seconds: number
  readonly pairs: number
  /** The number of requests between two looks at memory. */
  readonly requests: number
}

/**
 * Measures the verifier as a process on one core with the load on another, in turn with the web framework alone on the same
 * Node: requests per second, waiting times at a constant rate, and memory.
 */
export async function printVerifierLoad(load: VerifierLoad): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'gatepass-bench-'))
  try {
    await bundleAll()
    const policy = await writeBenchPolicy(home)
    console.log(`Node ${process.versions.node}; load of the machine before: ${renderLoadAverage()}\n`)
    await using verifier = await startVerifier(policy)
    await using bare = await startBareServer({ headers: policy.headers })
    await printRates(policy, { verifier, bare }, load)
    await printUncachedRates(policy, load)
    await printWaits(policy, { verifier, bare }, load)
    await printMemory(policy, verifier, load)
    console.log(`load of the machine after: ${renderLoadAverage()}`)
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

type Servers = Readonly<Record<'verifier' | 'bare', PinnedServer>>

async function printRates(
  { tokensPath }: BenchPolicy,
  servers: Servers,
  { seconds, pairs }: VerifierLoad,
): Promise<void> {
  const load = { seconds, args: [tokensPath], script: 'many-tokens.lua', expect: 'all pass' } as const
  for (let pair = 0; pair <= pairs; pair += 1) {
    const [verifier, bare] = [await measureRate(servers.verifier, load), await measureRate(servers.bare, load)]
    const ratio = (verifier.perSec / bare.perSec).toFixed(2)
    // The first one warms both up.
    if (pair > 0)
      console.log(`cached verifications: ${renderRate(verifier)}; hono alone: ${renderRate(bare)}; ratio ${ratio}`)
  }
}

/** A verifier that remembers nothing verifies each token each time. */
async function printUncachedRates(policy: BenchPolicy, { seconds, pairs }: VerifierLoad): Promise<void> {
  await using verifier = await startVerifier(policy, ['--cache-entries', '0'])
  const load = { seconds, args: [policy.tokensPath], script: 'many-tokens.lua', expect: 'all pass' } as const
  for (let pair = 0; pair <= pairs; pair += 1) {
    const [whole, alone] = [await measureRate(verifier, load), await measureCryptoAlone(policy, seconds)]
    const ratio = (whole.perCpuSec / alone.perCpuSec).toFixed(2)
    if (pair > 0)
      console.log(
        `ES256 not cached: ${renderRate(whole)}; crypto.verify alone: ${renderRate(alone)}; ratio ${ratio} of processor time`,
      )
  }
}

async function measureCryptoAlone({ tokensPath, jwk }: BenchPolicy, seconds: number): ReturnType<typeof measureRate> {
  const program = [process.execPath, join(import.meta.dirname, 'crypto-alone.ts'), tokensPath, jwk, String(seconds)]
  return JSON.parse((await promisify(execFile)('taskset', ['-c', serverCore, ...program])).stdout)
}

async function printWaits(policy: BenchPolicy, servers: Servers, { seconds, pairs }: VerifierLoad): Promise<void> {
  console.log('')
  for (let pair = 0; pair < pairs; pair += 1)
    for (const [name, server] of Object.entries(servers)) {
      const { p50, p99, p999, longest } = await measureWaits(server, policy.tokensPath, {
        perSec: steadyPerSec,
        seconds,
      })
      const [a, b, c, d] = [p50, p99, p999, longest].map((ms) => ms.toFixed(2))
      console.log(`${name} at ${steadyPerSec}/s: p50 ${a} ms, p99 ${b} ms, p99.9 ${c} ms, longest ${d} ms`)
    }
}

/** Half of what a verifier has to be able to serve, at which it has to answer quickly. */
const steadyPerSec = 2_500

async function printMemory(
  policy: BenchPolicy,
  verifier: PinnedServer,
  { requests, seconds }: VerifierLoad,
): Promise<void> {
  console.log('')
  const claims = policy.tokens[0]!.split('.')[1]!
  const kinds = [
    {
      what: 'tokens that pass',
      script: 'many-tokens.lua',
      args: [policy.tokensPath],
      expect: 'all pass',
      count: requests,
    },
    { what: 'unknown keys', script: 'unknown-keys.lua', args: [claims], expect: 'none passes', count: requests / 5 },
  ] as const
  for (const { what, count, ...load } of kinds) {
    const sizes = [await verifier.measureResidentBytes()]
    let sent = 0
    while (sent < count) {
      sent += (await runWrk({ ...load, url: verifier.url, seconds })).count
      sizes.push(await verifier.measureResidentBytes())
    }
    console.log(`memory over ${sent} requests (${what}): ${sizes.map(renderSize).join(', ')} MiB`)
  }
}

function renderSize(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0)
}
