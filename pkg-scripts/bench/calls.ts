import { spawnSync } from 'node:child_process'
import { type Benchmark, toBundleProcess, toExecutableProcess } from './benchmark.ts'
import { comparePairs } from './compare-pairs.ts'
import { measureProcess, type TimedProcess } from './processes.ts'
import { printComparison } from './report.ts'

/** Measures single calls from start to end of the process, and prints the results. */
export async function printCalls(benchmark: Benchmark): Promise<void> {
  const { floor, emptyScript, pairs, env } = benchmark
  const compare = async (what: string, subject: TimedProcess, floorWhat: string, against: TimedProcess) =>
    printComparison(what, floorWhat, 'ms', await comparePairs(measureProcess(subject), measureProcess(against), pairs))
  await compare('executable, --version', toExecutableProcess(benchmark, helper, ['--version']), floor.what, floor)
  await compare('executable, served from the cache', toExecutableProcess(benchmark, helper), floor.what, floor)
  await compare(
    'executable, not cached, no network',
    toExecutableProcess(benchmark, helper, uncached),
    floor.what,
    floor,
  )
  await compare(`executable, ${prover}, no network`, toExecutableProcess(benchmark, prover, proof), floor.what, floor)
  await compare(
    `bundle, ${prover}, no network`,
    toBundleProcess(benchmark, prover, proof),
    'an empty script',
    emptyScript,
  )
  await compare('bundle, served from the cache', toBundleProcess(benchmark, helper), 'an empty script', emptyScript)
  const aws: TimedProcess = { file: 'aws', args: ['configure', 'export-credentials'], env }
  const words = `aws ${aws.args.join(' ')}`
  if (spawnSync(aws.file, aws.args, { env }).status === 0)
    await compare('executable, not cached, no network', toExecutableProcess(benchmark, helper, uncached), words, aws)
  else console.log(`not compared with ${words}: no aws that knows this is installed\n`)
}

const helper = 'aws-bedrock-token'
const uncached = ['--cache', 'none']
/** A proof of an identity is signed like a key, in another request. */
const prover = 'aws-caller-identity'
const proof = [...uncached, '--audience', 'bench', '--client-ttl', '600']
