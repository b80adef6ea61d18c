import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseNote, type ShownPrompt } from '../../../src/sources/oauth/progress/note.ts'
import { waitUntil } from '../../setup/wait-until.ts'

/** Reads the prompt that a sign-in under way shows to its person. */
export async function readNote(home: string): Promise<ShownPrompt> {
  const directory = join(home, '.cache', 'gatepass')
  let shown: ShownPrompt | undefined
  await waitUntil('the sign-in shows its address', async () => {
    const names = await readdir(directory).catch(() => [])
    const name = names.find((other) => /^sign-in-.*\.signin$/.test(other))
    shown = name === undefined ? undefined : parseNote(await readFile(join(directory, name), 'utf8'))?.shown
    return shown !== undefined
  })
  return shown! // until it is there
}
