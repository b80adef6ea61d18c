import { open, readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { attemptUnlessMissing } from '../runtime/disk.ts'

/**
 * Counts outcomes for which a disk has no room, in the name of an empty file, because a full disk still accepts a new name. If two
 * processes rename a file, one succeeds, and the other tries again.
 */
export async function recordLost(directory: string, lost: number, { process, now }: Counting): Promise<void> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const found = (await readdir(directory)).find((name) => parseLostCount(name) !== undefined)
    if (found === undefined) {
      const file = await open(join(directory, `outcomes.lost-${now}-${process}-${lost}`), 'wx', 0o600)
      return file.close()
    }
    const prefix = found.slice(0, found.lastIndexOf('-'))
    const total = parseLostCount(found)! + lost
    if (await attemptRename(join(directory, found), join(directory, `${prefix}-${total}`))) return
  }
}

/** The most attempts: more than the number of processes that count at the same moment. Our decision. */
const maxAttempts = 100

/** The parts that make the name of a new counter unique: the process that creates it, and the time. */
interface Counting {
  /** The process id. */
  readonly process: number
  readonly now: number
}

/** Parses how many outcomes the name of a file counts; `undefined` for the name of any other file. */
export function parseLostCount(name: string): number | undefined {
  const [, count] = /^outcomes\.lost-\d+-\d+-(\d+)$/.exec(name) ?? []
  return count === undefined ? undefined : Number(count)
}

/** Renames a file. @returns whether it existed. */
async function attemptRename(from: string, to: string): Promise<boolean> {
  return (await attemptUnlessMissing(rename(from, to).then(() => true))) ?? false
}
