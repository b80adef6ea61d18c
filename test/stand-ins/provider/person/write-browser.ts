import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { PersonSettings } from './create-person.ts'

/**
 * Writes a program for the variable `BROWSER` that signs in by itself, as this person.
 * @param before What the program does first: lines of a shell, with the address as `$1`.
 * @returns `path`.
 */
export async function writeBrowser(path: string, person: PersonSettings = {}, before = ''): Promise<string> {
  const { name, password, isForgetful, denies } = person
  const program = fileURLToPath(new URL('person.ts', import.meta.url))
  const words = [
    ...[process.execPath, program],
    ...(name === undefined ? [] : ['--name', name]),
    ...(password === undefined ? [] : ['--password', password]),
    ...(isForgetful ? ['--forgetful'] : []),
    ...(denies ? ['--denies'] : []),
  ]
  const command = words.map((word) => `'${word}'`).join(' ')
  await writeFile(path, `#!/bin/sh\n${before}exec ${command} "$1"\n`, { mode: 0o755 })
  return path
}
