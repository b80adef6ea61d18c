import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import type { Environment } from '../../../runtime/run-process.ts'

/** Programs that come first on the PATH, open nothing, and log that they were called. */
export interface DecoyBrowsers {
  /** The environment with the decoys first on its PATH and in BROWSER. */
  applyTo(env: Environment): Environment
  /** Reads the calls so far, in order. */
  readCalls(): Promise<readonly BrowserCall[]>
}

/** The start of a decoy browser, with the run that caused it. */
export interface BrowserCall {
  readonly name: string
  /** The mark of the run that made the call; empty if the caller had removed it from its environment. */
  readonly mark: string
}

/** A variable in the environment of every run and its children, which identifies these processes. */
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

/** Knows which runs went on at the same time as one that may open a browser. */
export interface PromptingRuns {
  /**
   * Notes that a run starts. The function that it returns notes the end of the run, and says whether it was a silent one with
   * such a run beside it.
   */
  start(mayPrompt: boolean): () => boolean
}

/** Creates the counter of runs that may prompt, which tells of another run whether it had one of them beside it. */
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
