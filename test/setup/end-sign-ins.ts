import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseNote } from '../../src/sources/oauth/progress/note.ts'

/**
 * Ends the processes that sign in, by the notes in a cache's directory. After the last page has been seen such a process stays for
 * a minute, in case that the person goes back to it.
 */
export function endSignIns(cache: string): void {
  for (const pid of [...listNoted(cache, 'sign-in'), ...listNoted(cache, 'renewal')]) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended.
    }
  }
}

/** Lists the processes that sign in or renew, as the notes in a cache's directory name them. */
export function listNoted(cache: string, work: 'sign-in' | 'renewal'): number[] {
  if (!existsSync(cache)) return [] // nobody was asked to sign in
  const notes = readdirSync(cache).filter((file) => file.startsWith(`${work}-`) && file.endsWith('.signin'))
  return notes.flatMap((name) => parseNote(readNote(join(cache, name)))?.pid ?? [])
}

function readNote(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '' // its process has just ended
  }
}
