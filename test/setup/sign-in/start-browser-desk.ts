import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { toContextVariables } from '../../../src/contract/detect-context.ts'
import { endSignIns } from '../end-sign-ins.ts'
import type { Outcome } from '../run-program.ts'
import { waitUntil } from '../wait-until.ts'

/** The browser in a home directory, as a test sees it. */
export interface BrowserDesk {
  /** The address that the helper gave to the browser; waits until there have been so many, and every run has told the person of it. */
  untilOpened(count?: number): Promise<string>
  /** How often a browser was opened. */
  countOpened(): Promise<number>
}

/** A browser in a home directory that opens nothing, and writes the addresses down; the processes that sign in are ended with the test. */
export async function startBrowserDesk(home: string) {
  const opened = join(home, 'opened')
  const browser = join(home, 'browser')
  await writeFile(opened, '')
  await writeFile(browser, `#!/bin/sh\nprintf '%s\\n' "$1" >> "$HOME/opened"\n`, { mode: 0o755 })
  onTestFinished(() => endSignIns(join(home, '.cache', 'gatepass')))
  const waiting = new Set<{ said: string }>()
  const list = async () => (await readFile(opened, 'utf8')).split('\n').filter(Boolean)
  const desk: BrowserDesk = {
    untilOpened: async (count = 1) => {
      await waitUntil(`browser ${count} is opened`, async () => (await list()).length >= count)
      const address = (await list()).at(-1) ?? ''
      await waitUntil('every run says the address', () => [...waiting].every(({ said }) => said.includes(address)))
      return address
    },
    countOpened: async () => (await list()).length,
  }
  return {
    desk,
    /** Those of a run that may ask the person. */
    env: { HOME: home, PATH: '/usr/bin:/bin', BROWSER: browser, ...toContextVariables('interactive') },
    /** Starts a run with a function that is to be given what it says, and follows it until it ends. */
    follow: (start: (hear: (text: string) => void) => Promise<Outcome>): Promise<Outcome> => {
      const run = { said: '' }
      waiting.add(run)
      const hear = (text: string) => {
        run.said += text
      }
      return start(hear).finally(() => waiting.delete(run))
    },
  }
}
