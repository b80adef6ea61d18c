import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { encodePart } from '../../src/runtime/tokens/jwt.ts'
import { type Benchmark, toBundleProcess, toExecutableProcess } from './benchmark.ts'
import { comparePairs } from './compare-pairs.ts'
import { printWaiting } from './mint-lock-waiting.ts'
import { measureBatch, type TimedProcess } from './processes.ts'
import { printComparison } from './report.ts'

/** Measures parallel calls, and prints the results: fifty without a cached token, and one that waits for a mint. */
export async function printParallelCalls(benchmark: Benchmark): Promise<void> {
  const { floor, emptyScript, pairs } = benchmark
  const compare = async (what: string, subject: TimedProcess, floorWhat: string, against: TimedProcess) => {
    const batch = measureBatch(count, () => toColdProcess(benchmark, subject))
    const floorBatch = measureBatch(count, () => against)
    printComparison(`${count} ${what}`, `${count} of ${floorWhat}`, 'ms', await comparePairs(batch, floorBatch, pairs))
  }
  const helper = 'aws-bedrock-token'
  await compare('bundles at once, no token cached', toBundleProcess(benchmark, helper), 'an empty script', emptyScript)
  await compare('executables at once, no token cached', toExecutableProcess(benchmark, helper), floor.what, floor)
  await printWaiting(
    (url, round) => toExecutableProcess(benchmark, 'workload-token', toExchangeArguments(url, round)),
    pairs,
  )
}

const count = 50

let coldStarts = 0

/** Gives a run a home directory without a cache. */
function toColdProcess({ home }: Benchmark, timed: TimedProcess): TimedProcess {
  coldStarts += 1
  const HOME = join(home, `cold ${coldStarts}`)
  mkdirSync(HOME)
  return { ...timed, env: { ...timed.env, HOME, XDG_CACHE_HOME: join(HOME, '.cache') } }
}

/** Arguments with another subject in each round, so that no earlier token is found in the cache. */
function toExchangeArguments(url: string, round: number): string[] {
  const claims = { iss: 'https://issuer.example', sub: `round-${round}`, aud: 'platform', exp: 4_000_000_000 }
  const parts = [{ alg: 'RS256' }, claims].map(encodePart)
  const identity = [
    '--identity',
    'command',
    '--identity-command',
    'echo',
    '--identity-command',
    [...parts, 'x'].join('.'),
  ]
  return ['--base-url', url, '--organization', 'org-1', '--federation-rule', `rule-${round}`, ...identity]
}
