import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { onTestFinished } from 'vitest'
import { bundlePath } from '../../../../../pkg-scripts/tree.ts'
import { toContextVariables } from '../../../../../src/contract/detect-context.ts'
import { endSignIns } from '../../../../setup/end-sign-ins.ts'
import type { Outcome } from '../../../../setup/run-program.ts'
import { temporaryDirectory } from '../../../../setup/temporary-directory.ts'
import { waitUntil } from '../../../../setup/wait-until.ts'
import type { ProviderSettings } from '../../../../stand-ins/provider/settings.ts'
import { type StandInProvider, startProvider } from '../../../../stand-ins/provider/start-provider.ts'

/** A person's machine where a browser opens, and an OpenID provider. Nobody is signed in. */
export interface PersonDesk {
  readonly provider: StandInProvider
  /** Starts the built helper as a client does that may ask the person. */
  start(...argv: string[]): Promise<Outcome>
  /** The address that the helper gave to the browser; waits until there have been so many. */
  untilOpened(count?: number): Promise<string>
  /** How often a browser was opened. */
  countOpened(): Promise<number>
}

/** The provider is another site than the listener, as every real one is. */
export async function startPersonDesk(settings: ProviderSettings = {}): Promise<PersonDesk> {
  const home = await temporaryDirectory()
  const provider = await startProvider({ host: 'localhost', lifeSec: { idToken: 7_200 }, ...settings })
  onTestFinished(() => provider[Symbol.asyncDispose]())
  onTestFinished(() => endSignIns(join(home, '.cache', 'gatepass')))
  const opened = join(home, 'opened')
  const browser = join(home, 'browser')
  await writeFile(opened, '')
  await writeFile(browser, `#!/bin/sh\nprintf '%s\\n' "$1" >> "$HOME/opened"\n`)
  await chmod(browser, 0o755)
  const list = async () => (await readFile(opened, 'utf8')).split('\n').filter(Boolean)
  const env = { HOME: home, PATH: '/usr/bin:/bin', BROWSER: browser, ...toContextVariables('interactive') }
  const site = ['--client-id', provider.clientId, '--issuer', provider.issuer]
  return {
    provider,
    start: async (...argv) => {
      const { exitCode, signal, stdout, stderr } = await execa(
        process.execPath,
        [bundlePath('oidc-token'), ...site, ...argv],
        { env, extendEnv: false, stdin: 'ignore', reject: false, stripFinalNewline: false, cwd: '/' },
      )
      return { status: exitCode ?? signal ?? 'not started', stdout, stderr }
    },
    untilOpened: async (count = 1) => {
      await waitUntil(`browser ${count} is opened`, async () => (await list()).length >= count)
      return (await list()).at(-1) ?? ''
    },
    countOpened: async () => (await list()).length,
  }
}
