import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { toContextVariables } from '../../../../../src/contract/detect-context.ts'
import { endSignIns } from '../../../../setup/end-sign-ins.ts'
import { runBundle } from '../../../../setup/run-bundle.ts'
import type { Outcome } from '../../../../setup/run-program.ts'
import { temporaryDirectory } from '../../../../setup/temporary-directory.ts'
import { toStableText } from '../../../../setup/to-stable-text.ts'
import { waitUntil } from '../../../../setup/wait-until.ts'
import type { ProviderSettings } from '../../../../stand-ins/provider/settings.ts'
import { type StandInProvider, startProvider } from '../../../../stand-ins/provider/start-provider.ts'

/** A person's machine where a browser opens, and an OpenID provider. Nobody is signed in. */
export interface PersonDesk {
  readonly provider: StandInProvider
  /** Starts the built helper as a client does that may ask the person; the token that it prints is a word. */
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
  const waiting = new Set<{ said: string }>()
  const list = async () => (await readFile(opened, 'utf8')).split('\n').filter(Boolean)
  const env = { HOME: home, PATH: '/usr/bin:/bin', BROWSER: browser, ...toContextVariables('interactive') }
  const site = ['--client-id', provider.clientId, '--issuer', provider.issuer]
  return {
    provider,
    start: (...argv) => {
      const run = { said: '' }
      waiting.add(run)
      const hear = (text: string) => (run.said += text)
      const outcome = runBundle('oidc-token', { argv: [...site, ...argv], env, hear, timeoutMs: 120_000 })
      const stable = outcome.then(({ stdout, ...rest }) => ({ ...rest, stdout: toStableText(stdout) }))
      return stable.finally(() => waiting.delete(run))
    },
    untilOpened: async (count = 1) => {
      await waitUntil(`browser ${count} is opened`, async () => (await list()).length >= count)
      const address = (await list()).at(-1) ?? ''
      await waitUntil('every run says the address', async () =>
        [...waiting].every(({ said }) => said.includes(address)),
      )
      return address
    },
    countOpened: async () => (await list()).length,
  }
}
