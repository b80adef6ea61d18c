import { stat } from 'node:fs/promises'
import { delimiter, join, resolve } from 'node:path'
import type { Environment } from '../../runtime/environment.ts'

/** The path that a shell would start. A command that is not found is given back unchanged, so that whoever starts it reports it. */
export async function findCommand(command: string, env: Environment): Promise<string> {
  if (/^[A-Za-z]:[\\/]|^\\\\|^~|^\/\//.test(command)) return command
  if (/[\\/]/.test(command)) return resolve(command)
  for (const directory of (env.PATH ?? '').split(delimiter).filter((name) => name.startsWith('/'))) {
    const path = join(directory, command)
    if (await isFile(path)) return path
  }
  return command
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false, // not there: the next directory
  )
}
