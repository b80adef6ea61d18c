import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import type { Environment } from '../../../runtime/environment.ts'

/** What programs start to show a page to a person, and on macOS a dialog. */
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

/** Programs that stand first on the path, open nothing, and note who was called. */
export interface DecoyBrowsers {
  /** Lays the decoys over an environment. */
  over(env: Environment): Environment
  /** The calls so far, in order. */
  calls(): Promise<readonly BrowserCall[]>
}

export interface BrowserCall {
  readonly name: string
  /** The mark of the run that it came from; empty where the caller had thrown its environment away. */
  readonly mark: string
}

/** In the environment of every run and of all that it starts, so that they are found again. */
export const markVariable = 'HELPER_CHECK_RUN'

/** What {@link DecoyBrowsers.over} sets. */
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
    over: (env) => ({ ...env, PATH: [bin, env.PATH].filter(Boolean).join(delimiter), BROWSER: join(bin, 'browser') }),
    calls: async () => {
      const lines = (await readFile(log, 'utf8')).split('\n').slice(0, -1)
      return lines.map((line) => line.split(' ')).map(([name = '', mark = '']) => ({ name, mark }))
    },
  }
}
