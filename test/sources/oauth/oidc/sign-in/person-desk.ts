import { onTestFinished } from 'vitest'
import { runBundle } from '../../../../setup/run-bundle.ts'
import type { Outcome } from '../../../../setup/run-program.ts'
import { type BrowserDesk, startBrowserDesk } from '../../../../setup/sign-in/start-browser-desk.ts'
import { temporaryDirectory } from '../../../../setup/temporary-directory.ts'
import { toStableText } from '../../../../setup/to-stable-text.ts'
import type { ProviderSettings } from '../../../../stand-ins/provider/settings.ts'
import { type StandInProvider, startProvider } from '../../../../stand-ins/provider/start-provider.ts'

/** A person's machine where a browser opens, and an OpenID provider. Nobody is signed in. */
export interface PersonDesk extends BrowserDesk {
  readonly provider: StandInProvider
  /** Starts the built helper as a client does that may ask the person; the token that it prints is a word. */
  start(...argv: string[]): Promise<Outcome>
}

/** The provider is another site than the listener, as every real one is. */
export async function startPersonDesk(settings: ProviderSettings = {}): Promise<PersonDesk> {
  const home = await temporaryDirectory()
  const provider = await startProvider({ host: 'localhost', lifeSec: { idToken: 7_200 }, ...settings })
  onTestFinished(() => provider[Symbol.asyncDispose]())
  const { desk, env, follow } = await startBrowserDesk(home)
  const site = ['--client-id', provider.clientId, '--issuer', provider.issuer]
  return {
    ...desk,
    provider,
    start: async (...argv) => {
      const { stdout, ...rest } = await follow((hear) =>
        runBundle('oidc-token', { argv: [...site, ...argv], env, hear, timeoutMs: 120_000 }),
      )
      return { ...rest, stdout: toStableText(stdout) }
    },
  }
}
