import { spawnSync } from 'node:child_process'
import { type Bench, bundled, executable } from './bench.ts'
import { comparePairs } from './pairs.ts'
import { type Timed, timeProcess } from './processes.ts'
import { report } from './report.ts'

const helper = 'aws-bedrock-token'
const uncached = ['--cache', 'none']

/** Single calls, from the start of the process to its end. */
export async function reportCalls(bench: Bench): Promise<void> {
  const { floor, emptyScript, pairs, env } = bench
  const compare = async (what: string, subject: Timed, floorWhat: string, against: Timed) =>
    report(what, floorWhat, 'ms', await comparePairs(timeProcess(subject), timeProcess(against), pairs))
  await compare('executable, --version', executable(bench, helper, ['--version']), floor.what, floor)
  await compare('executable, served from the cache', executable(bench, helper), floor.what, floor)
  await compare('executable, not cached, no network', executable(bench, helper, uncached), floor.what, floor)
  await compare('bundle, served from the cache', bundled(bench, helper), 'an empty script', emptyScript)
  const aws: Timed = { file: 'aws', args: ['configure', 'export-credentials'], env }
  const words = `aws ${aws.args.join(' ')}`
  if (spawnSync(aws.file, aws.args, { env }).status === 0)
    await compare('executable, not cached, no network', executable(bench, helper, uncached), words, aws)
  else console.log(`not compared with ${words}: no aws that knows this is installed\n`)
}
