// Folder: `npm run bench -- verifier`: a verifier under load, compared with the web framework alone.

import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { bundleAll } from '../../bundle/bundle.ts'
import { comparePairs, type Measure } from '../compare-pairs.ts'
import { printComparison, renderLoadAverage, renderSize } from '../report.ts'
import { type BenchPolicy, writeBenchPolicy } from './bench-policy.ts'
import { measureWaits } from './measure-waits.ts'
import { loadCore, type PinnedServer, serverCore, startBareServer, startVerifier } from './pinned-server.ts'
import { type RateMeasurement, runWrk } from './run-wrk.ts'

/**
 * Measures a verifier, each time alternately with the program to compare with, on the same Node: the servers on one core, the load on the
 * other.
 */
export async function printVerifierLoad(load: VerifierLoad): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'gatepass-bench-'))
  try {
    await bundleAll()
    console.log(`Node ${process.versions.node}; load of the machine before: ${renderLoadAverage()}\n`)
    const policy = await writeBenchPolicy(home)
    await printCached(policy, load)
    await printUncached('ES256', policy, load)
    await printUncached('RS256', await writeBenchPolicy(home, 'RS256'), load)
    await printProcesses(policy, load)
    await printMemory(policy, load)
    console.log(`load of the machine after: ${renderLoadAverage()}`)
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

/** The extent of a run. */
interface VerifierLoad {
  /** The length of each measurement. */
  readonly seconds: number
  readonly pairs: number
  /** The number of distinct tokens after which memory is measured. */
  readonly requests: number
}

async function printCached(policy: BenchPolicy, load: VerifierLoad): Promise<void> {
  await using verifier = await startVerifier(policy)
  await using bare = await startBareServer({ headers: policy.headers })
  const rates = await comparePairs(measureRate(policy, verifier, load), measureRate(policy, bare, load), load.pairs)
  printComparison('answers from the cache', 'hono alone', '/s', rates)
  printAim('at least 0.85', rates.ratio.median >= 0.85)

  const perSec = Math.round(rates.subject.median / 2)
  const wait = (server: PinnedServer) => async () =>
    (await measureWaits(server, policy.tokensPath, { perSec, seconds: load.seconds })).p99
  const waits = await comparePairs(wait(verifier), wait(bare), load.pairs)
  printComparison(`99 % of the answers at half of that rate, ${perSec}/s, within`, 'hono alone', 'ms', waits)
  printAim('under 5 ms', waits.subject.median < 5)
}

/** A verifier without a cache verifies each token each time. */
async function printUncached(alg: string, policy: BenchPolicy, load: VerifierLoad): Promise<void> {
  await using verifier = await startVerifier(policy, ['--cache-entries', '0'])
  await using bare = await startBareServer(policy)
  const [own, framework] = [measureRate(policy, verifier, load), measureRate(policy, bare, load)]
  const beside = await comparePairs(own, framework, load.pairs)
  printComparison(`${alg}, not cached`, 'hono with crypto.verify and no other check', '/s', beside)
  const alone = await comparePairs(own, async () => (await verifyAlone(policy, load)).perSec, load.pairs)
  printComparison(`${alg}, not cached`, 'crypto.verify alone, without HTTP', '/s', alone)
  if (alg === 'ES256') await printInProcess(policy, load)
}

/** Measures processor time rather than time, because other programs may use the machine too. */
async function printInProcess(policy: BenchPolicy, load: VerifierLoad): Promise<void> {
  const measure = (policyPath?: string) => async () => (await verifyAlone(policy, load, policyPath)).perCpuSec
  const rates = await comparePairs(measure(policy.policyPath), measure(), load.pairs)
  printComparison('ES256, not cached, verifier.verify without HTTP', 'crypto.verify alone', '/s', rates)
  printAim('at least 0.7', rates.ratio.median >= 0.7)
}

/**
 * On two cores, the load shares one with the second process; with tokens that are not in the cache it needs the smaller part of that core.
 */
async function printProcesses(policy: BenchPolicy, load: VerifierLoad): Promise<void> {
  await using two = await startVerifier(policy, ['--cache-entries', '0', '--processes', '2'])
  await using one = await startVerifier(policy, ['--cache-entries', '0'])
  const rates = await comparePairs(measureRate(policy, two, load), measureRate(policy, one, load), load.pairs)
  printComparison('two processes, ES256 not cached, the load on one of their cores', 'one process', '/s', rates)
  printAim('at least 1.7', rates.ratio.median >= 1.7)
}

/** Prints the memory after distinct accepted tokens, and then after a flood of tokens with unknown keys. */
async function printMemory(policy: BenchPolicy, { requests, seconds }: VerifierLoad): Promise<void> {
  await using verifier = await startVerifier(policy)
  const sizes = [await verifier.measureResidentBytes()]
  const program = [process.execPath, join(import.meta.dirname, 'send-distinct.ts')]
  const { url } = verifier
  const parts = 5
  for (let part = 0; part < parts; part += 1) {
    const args = [url, policy.privateJwk, JSON.stringify(policy.claims), String(Math.ceil(requests / parts))]
    await promisify(execFile)('taskset', ['-c', loadCore, ...program, ...args])
    sizes.push(await verifier.measureResidentBytes())
  }
  console.log(`memory before, and during ${requests} distinct tokens that pass: ${sizes.map(renderSize).join(', ')}`)
  const claims = policy.tokens[0]!.split('.')[1]!
  const flood = { url, seconds, script: 'unknown-keys.lua', args: [claims], expect: 'none passes' } as const
  const { count } = await runWrk(flood)
  sizes.push(await verifier.measureResidentBytes())
  console.log(`memory after ${count} more with unknown keys: ${renderSize(sizes.at(-1)!)}`)
  printAim('at most 150 MiB', Math.max(...sizes) <= 150 * 2 ** 20)
}

function measureRate({ tokensPath }: BenchPolicy, { url }: PinnedServer, { seconds }: VerifierLoad): Measure {
  const load = { url, seconds, args: [tokensPath], script: 'many-tokens.lua', expect: 'all pass' } as const
  return async () => (await runWrk(load)).perSec
}

/** Measures how many tokens a process verifies in a second without HTTP: by a policy, or only their signatures. */
async function verifyAlone(
  { tokensPath, jwk }: BenchPolicy,
  { seconds }: VerifierLoad,
  policyPath?: string,
): Promise<RateMeasurement> {
  const program = [process.execPath, join(import.meta.dirname, 'verify-alone.ts'), tokensPath, jwk, String(seconds)]
  const args = policyPath === undefined ? [] : [policyPath]
  const { stdout } = await promisify(execFile)('taskset', ['-c', serverCore, ...program, ...args])
  return JSON.parse(stdout)
}

function printAim(aim: string, isMet: boolean): void {
  console.log(`  aim: ${aim}: ${isMet ? 'met' : 'missed'}\n`)
}
