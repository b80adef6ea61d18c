import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseNote } from '../../src/sources/oauth/progress/note.ts'

/**
 * Ends the processes that sign in, by the notes in a cache's directory. After the last page has been seen such a process stays for
 * a minute, in case that the person goes back to it.
 */
export function endSignIns(cache: string): void {
  if (!existsSync(cache)) return // nobody was asked to sign in
  for (const name of readdirSync(cache).filter((file) => file.endsWith('.signin'))) {
    const pid = parseNote(readFileSync(join(cache, name), 'utf8'))?.pid
    try {
      if (pid !== undefined) process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended.
    }
  }
}
