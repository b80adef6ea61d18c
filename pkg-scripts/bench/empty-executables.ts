import { join } from 'node:path'
import { assembleExecutable } from '../executable.ts'
import { hostTarget } from '../runtimes.ts'
import { comparePairs, type Timed } from './pairs.ts'

/** The least that an executable of this runtime takes: the faster of one that does nothing and one from a snapshot. */
export async function buildFloor(
  directory: string,
  env: NodeJS.ProcessEnv,
  pairs: number,
): Promise<Timed & { what: string }> {
  const plain = await assembleExecutable(hostTarget, { main: '' }, join(directory, 'empty'))
  const main = `require('node:v8').startupSnapshot.setDeserializeMainFunction(() => {})`
  const snapshot = await assembleExecutable(hostTarget, { main, isSnapshot: true }, join(directory, 'empty-snapshot'))
  const [one, other] = [plain, snapshot].map((file) => ({ file, args: [], env }))
  const { ratio } = comparePairs(one!, other!, pairs)
  return ratio.median <= 1
    ? { ...one!, what: 'an empty executable' }
    : { ...other!, what: 'an empty executable from a snapshot' }
}
