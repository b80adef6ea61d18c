import { join } from 'node:path'
import { longestFileBytes, readText } from './disk.ts'
import { HelperError } from './failure.ts'

/** Files that are being read before anybody has asked for them. */
const ahead = new Map<string, Promise<string | undefined>>()

/** Begins to read files, so that the next {@link readIfPresent} of each finds it read. */
export function readAhead(paths: readonly string[]): void {
  for (const path of paths) {
    const reading = readNow(path)
    reading.catch(() => undefined) // whoever asks for the file gets the error
    ahead.set(path, reading)
  }
}

/**
 * Reads a file; `undefined` where it is missing, which means that nothing is configured.
 * @throws {HelperError} `not-configured` for any other error of reading.
 */
export function readIfPresent(path: string): Promise<string | undefined> {
  const begun = ahead.get(path)
  ahead.delete(path) // whoever asks once more wants the file of that moment
  return begun ?? readNow(path)
}

async function readNow(path: string): Promise<string | undefined> {
  try {
    return await readText(path)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    if (code === 'EFBIG')
      throw new HelperError(
        'not-configured',
        `${path} is longer than ${longestFileBytes / 1024 / 1024} MiB`,
        `name another file; look at this one with: ls -ld '${path}'`,
      )
    throw new HelperError('not-configured', `cannot read ${path} (${code})`, readHint(path, code), { cause })
  }
}

/** Replaces `~/` at the beginning by the home directory, so that one setting serves every user of a machine. */
export function expandHome(path: string, home: string): string {
  return path.startsWith('~/') ? join(home, path.slice(2)) : path
}

function readHint(path: string, code: string | undefined): string {
  if (code === 'EACCES' || code === 'EPERM')
    return `make it readable for the user who runs this; see who may: ls -ld '${path}'`
  if (code === 'EISDIR') return `it is a directory: name a file`
  if (code === 'ENOTDIR') return `one of the names before the last is a file, not a directory`
  return `look at it with: ls -ld '${path}'`
}
