import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import type { Environment } from '../../../runtime/run-process.ts'

/** Programs that come first on the PATH, open nothing, and log their calls. */
export interface DecoyBrowsers {
  /** The environment with the decoys first on its PATH and in BROWSER. */
  applyTo(env: Environment): Environment
  /** The calls so far, in order. */
  readCalls(): Promise<readonly BrowserCall[]>
}

/** The call of a decoy browser, and the run that made it. */
export interface BrowserCall {
  readonly name: string
  /** The mark of the run; empty if the caller had removed it from its environment. */
  readonly mark: string
}

/** The variable that identifies the processes of a run, including descendants. */
export const markVariable = 'HELPER_CHECK_RUN'

/** The variables that {@link DecoyBrowsers.applyTo} sets. */
export const decoyVariables = ['PATH', 'BROWSER'] as const

/** Writes the decoys, which are shell scripts, into a directory of the check's own. */
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

/** Tracks which runs overlapped with a run that may open a browser. */
export interface PromptingRuns {
  /**
   * Records the start of a run. The returned function records its end, and returns whether it was a silent run that overlapped with such a
   * run.
   */
  start(mayPrompt: boolean): () => boolean
}

/** Creates the tracker of runs that may prompt. */
export function createPromptingRuns(): PromptingRuns {
  let started = 0
  let active = 0
  return {
    start: (mayPrompt) => {
      const startedBefore = started
      const isBeside = active > 0
      if (mayPrompt) {
        started += 1
        active += 1
      }
      return () => {
        if (mayPrompt) active -= 1
        return !mayPrompt && (isBeside || started > startedBefore)
      }
    },
  }
}
