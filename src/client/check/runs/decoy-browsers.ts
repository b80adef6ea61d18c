import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import type { Environment } from '../../../runtime/environment.ts'

/** Programs that show a page or a dialog to a person. */
const openers = [
  'xdg-open',
  'open',
  'start',
  'sensible-browser',
  'x-www-browser',
  'www-browser',
  'gnome-open',
  'kde-open',
  'wslview',
  'osascript',
  'firefox',
  'google-chrome',
  'chromium',
  'chromium-browser',
  'zenity',
  'kdialog',
] as const

/** Programs that come first on the PATH, open nothing, and log that they were called. */
export interface DecoyBrowsers {
  /** The environment with the decoys first on its PATH and in BROWSER. */
  applyTo(env: Environment): Environment
  /** The calls so far, in order. */
  readCalls(): Promise<readonly BrowserCall[]>
}

/** A call of a decoy browser. */
export interface BrowserCall {
  readonly name: string
  /** The mark of the run that it came from; empty if the caller had removed it from its environment. */
  readonly mark: string
}

/** A variable in the environment of every run and its children, by which these processes are found. */
export const markVariable = 'HELPER_CHECK_RUN'

/** What {@link DecoyBrowsers.applyTo} sets. */
export const decoyVariables = ['PATH', 'BROWSER'] as const

/** Writes the decoys into a directory of the check's own. They are shell scripts. */
export async function writeDecoyBrowsers(directory: string): Promise<DecoyBrowsers> {
  const bin = join(directory, 'browsers')
  const log = join(directory, 'browser-calls')
  await mkdir(bin)
  await writeFile(log, '')
  for (const name of [...openers, 'browser']) {
    const path = join(bin, name)
    const shown = name === 'browser' ? "'$BROWSER'" : name
    await writeFile(path, `#!/bin/sh\nprintf '%s %s\\n' ${shown} "$${markVariable}" >> '${log}'\n`)
    await chmod(path, 0o755)
  }
  return {
    applyTo: (env) => ({
      ...env,
      PATH: [bin, env.PATH].filter(Boolean).join(delimiter),
      BROWSER: join(bin, 'browser'),
    }),
    readCalls: async () => {
      const lines = (await readFile(log, 'utf8')).split('\n').slice(0, -1)
      return lines.map((line) => line.split(' ')).map(([name = '', mark = '']) => ({ name, mark }))
    },
  }
}
