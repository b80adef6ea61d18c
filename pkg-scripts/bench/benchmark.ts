// Folder: `npm run bench`, which compares whole processes in pairs.

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ClientContext } from '../../src/contract/context.ts'
import { toContextVariables } from '../../src/contract/detect-context.ts'
import { writeAwsDirectory } from '../../test/stand-ins/aws/aws-directory.ts'
import { bundleAll, type WrittenBundle } from '../bundle/bundle.ts'
import { assembleExecutable } from '../executable/build-executable.ts'
import { buildSuite, type Suite } from '../executable/build-suite.ts'
import { hostTarget } from '../executable/runtimes.ts'
import { toBundlePath } from '../tree.ts'
import { comparePairs } from './compare-pairs.ts'
import { measureProcess, type TimedProcess } from './processes.ts'

/** The measured programs, built and ready, and the programs to compare them with. */
export interface Benchmark {
  readonly pairs: number
  /** A directory that is removed after the benchmark. */
  readonly home: string
  /** The environment of every process: an AWS profile with access keys, and a context, so that none is detected. */
  readonly env: NodeJS.ProcessEnv
  readonly bundles: readonly WrittenBundle[]
  readonly suite: Suite
  /** The fastest empty executable: no executable can be faster. */
  readonly floor: TimedProcess & { readonly what: string }
  /** An empty script: no bundle can be faster. */
  readonly emptyScript: TimedProcess
}

const context: ClientContext = 'background'

/** Builds the measured programs below `home`. */
export async function prepareBenchmark(home: string, pairs: number): Promise<Benchmark> {
  const { environment } = await writeAwsDirectory(home, {
    config: { 'profile bench': { region: 'eu-central-1' } },
    credentials: { bench: { aws_access_key_id: 'AKIABENCH00000000000', aws_secret_access_key: 'bench' } },
  })
  const env = { ...environment, PATH: process.env.PATH, AWS_PROFILE: 'bench', ...toContextVariables(context) }
  const script = join(home, 'empty.cjs')
  await writeFile(script, '')
  return {
    pairs,
    home,
    env,
    bundles: await bundleAll(),
    suite: await buildSuite(hostTarget, {}, home),
    floor: await buildFloor(home, env, pairs),
    emptyScript: { file: process.execPath, args: [script], env },
  }
}

/** Builds two empty executables of this runtime, a plain one and one with a startup snapshot, and returns the faster one. */
async function buildFloor(
  directory: string,
  env: NodeJS.ProcessEnv,
  pairs: number,
): Promise<TimedProcess & { what: string }> {
  const plain = await assembleExecutable(hostTarget, { main: '' }, { path: join(directory, 'empty'), summary: 'empty' })
  const main = `require('node:v8').startupSnapshot.setDeserializeMainFunction(() => {})`
  const described = { path: join(directory, 'empty-snapshot'), summary: 'empty' }
  const snapshot = await assembleExecutable(hostTarget, { main, isSnapshot: true }, described)
  const one: TimedProcess = { file: plain, args: [], env }
  const other: TimedProcess = { file: snapshot, args: [], env }
  const { ratio } = await comparePairs(measureProcess(one), measureProcess(other), pairs)
  return ratio.median <= 1
    ? { ...one, what: 'an empty executable' }
    : { ...other, what: 'an empty executable from a snapshot' }
}

/** Creates a run of a helper's executable. */
export function toExecutableProcess(
  { suite, env }: Benchmark,
  helper: string,
  args: readonly string[] = [],
): TimedProcess {
  return { file: join(suite.directory, helper), args, env }
}

/** Creates a run of a helper's bundle by Node. */
export function toBundleProcess({ env }: Benchmark, helper: string, args: readonly string[] = []): TimedProcess {
  return { file: process.execPath, args: [toBundlePath(helper), ...args], env }
}
