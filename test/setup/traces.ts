import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryDirectory } from './temporary-directory.ts'

/** The traces of a helper's runs beside the token that they keep: a log, and files of the cache. */
interface Traces {
  /** Has a run write the log, unless it says something of a log itself, or tells its own story. */
  logIn(call: { argv: readonly string[]; env: Readonly<Record<string, string>> }): Readonly<Record<string, string>>
  /** The log, the names of all files in the cache, and what is in those that hold no token. */
  read(): Promise<string>
}

/** Looks for traces of runs in a home directory. */
export async function startTraces(home: string): Promise<Traces> {
  const path = join(await temporaryDirectory(), 'calls.log')
  const cache = join(home, '.cache', 'gatepass')
  return {
    logIn: ({ argv, env }) => {
      const isOwn = 'GATEPASS_LOG_FILE' in env || argv.some((argument) => /^--(log-file|explain)/.test(argument))
      return isOwn ? env : { ...env, GATEPASS_LOG_FILE: path }
    },
    read: async () => {
      const names = await readdir(cache).catch(() => []) // no run has kept anything yet
      const notes = names.filter((name) => name.endsWith('.holder')).map((name) => join(cache, name))
      const texts = await Promise.all([path, ...notes].map((file) => readFile(file, 'utf8').catch(() => '')))
      return [...names, ...texts].join('\n')
    },
  }
}
