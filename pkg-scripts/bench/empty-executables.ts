import { join } from 'node:path'
import { assembleExecutable } from '../executable/executable.ts'
import { hostTarget } from '../executable/runtimes.ts'
import { comparePairs } from './pairs.ts'
import { type Timed, timeProcess } from './processes.ts'

/** The least that an executable of this runtime takes: the faster of one that does nothing and one from a snapshot. */
export async function buildFloor(
  directory: string,
  env: NodeJS.ProcessEnv,
  pairs: number,
): Promise<Timed & { what: string }> {
  const plain = await assembleExecutable(hostTarget, { main: '' }, join(directory, 'empty'))
  const main = `require('node:v8').startupSnapshot.setDeserializeMainFunction(() => {})`
  const snapshot = await assembleExecutable(hostTarget, { main, isSnapshot: true }, join(directory, 'empty-snapshot'))
  const one: Timed = { file: plain, args: [], env }
  const other: Timed = { file: snapshot, args: [], env }
  const { ratio } = await comparePairs(timeProcess(one), timeProcess(other), pairs)
  return ratio.median <= 1
    ? { ...one, what: 'an empty executable' }
    : { ...other, what: 'an empty executable from a snapshot' }
}
