import { join } from 'node:path'
import { assembleExecutable } from '../executable/build-executable.ts'
import { hostTarget } from '../executable/runtimes.ts'
import { comparePairs } from './pairs.ts'
import { measureProcess, type TimedProcess } from './processes.ts'

/** Builds two empty executables of this runtime, a plain one and one with a startup snapshot, and returns the faster one. */
export async function buildFloor(
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
