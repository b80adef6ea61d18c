import { fileURLToPath } from 'node:url'
import type { PersonSettings } from './create-person.ts'

/**
 * The value of `BROWSER` with which a program signs in by itself, as this person.
 * @param report A file into which the last page is written: address, status, title, text.
 */
export function toBrowserVariable(
  { name, password, isForgetful, denies }: PersonSettings = {},
  report?: string,
): string {
  const program = fileURLToPath(new URL('person.ts', import.meta.url))
  return [
    ...[process.execPath, program],
    ...(name === undefined ? [] : ['--name', name]),
    ...(password === undefined ? [] : ['--password', password]),
    ...(isForgetful ? ['--forgetful'] : []),
    ...(denies ? ['--denies'] : []),
    ...(report === undefined ? [] : ['--report', report]),
  ].join(' ')
}
