import type { HelperError } from '../../src/runtime/failure.ts'
import type { OidcSettings } from '../../src/sources/oauth/oidc/oidc-settings.ts'
import { type SignInWays as CommonWays, signInTo } from '../setup/sign-in/sign-in-to.ts'
import type { Lies } from '../stand-ins/lying-provider/lies.ts'
import { type LyingProvider, startLyingProvider } from '../stand-ins/lying-provider/lying-provider.ts'
import { createPerson } from '../stand-ins/provider/person/create-person.ts'

/** How a sign-in is made, where a test says more than which lie is told. */
export interface SignInWays extends CommonWays {
  readonly settings?: Partial<OidcSettings>
}

/** The whole of what a sign-in does, with the provider's address as `PROVIDER`. */
interface SignInOutcome {
  readonly outcome: 'signed in' | readonly [kind: string, message: string, hint: string]
  /** The text of the tab at the end; `undefined` where the browser did not come back. */
  readonly page: string | undefined
  /** The tokens that are kept. */
  readonly kept: readonly string[]
  /** The requests that the provider received, in order. */
  readonly asked: readonly string[]
  /** The requests that reached the server to which redirects lead. */
  readonly strayed: readonly string[]
}

/** Signs in to a provider that lies so. */
export async function signInWith(lies: Lies, ways: SignInWays = {}): Promise<SignInOutcome> {
  await using provider = await startLyingProvider(lies)
  return await signInAt(provider, ways)
}

async function signInAt(provider: LyingProvider, ways: SignInWays = {}): Promise<SignInOutcome> {
  const person = async ({ address }: { address: string }) =>
    ways.way === 'device' ? undefined : (await createPerson().open(address)).text
  const { failure, page, kept } = await signInTo(toSettings(provider, ways.settings), person, ways)
  const plain = createPlain(provider)
  return {
    outcome: failure ? describe(failure, plain) : 'signed in',
    page: page === undefined ? undefined : plain(page),
    kept: listTokens(kept?.tokens ?? {}),
    asked: provider.requests.map(({ endpoint }) => endpoint),
    strayed: provider.elsewhere.requests,
  }
}

/** Returns the settings of the provider's client, where a test sets no others. */
export function toSettings({ issuer, clientId }: LyingProvider, more: Partial<OidcSettings> = {}): OidcSettings {
  return {
    issuer,
    clientId,
    bearerTokenType: 'id_token',
    appendOfflineAccess: true,
    redirectHost: '127.0.0.1',
    additionalRedirectReferrerHosts: [],
    ...more,
  }
}

export function describe(
  { kind, message, hint }: HelperError,
  plain: (text: string) => string,
): readonly [kind: string, message: string, hint: string] {
  return [kind, plain(message), plain(hint)]
}

/** Removes the ports from a text, which are others in every run. */
export function createPlain({ issuer, elsewhere }: LyingProvider): (text: string) => string {
  return (text) =>
    text.replaceAll(new URL(issuer).host, 'PROVIDER').replaceAll(new URL(elsewhere.url).host, 'ELSEWHERE')
}

function listTokens(tokens: object): string[] {
  const present = Object.entries(tokens).filter(([name, value]) => name.endsWith('Token') && value !== undefined)
  return present.map(([name]) => name).sort()
}
