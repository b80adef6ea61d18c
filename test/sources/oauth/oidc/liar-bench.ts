import { onTestFinished } from 'vitest'
import { fetchInTime } from '../../../../src/runtime/network/fetch-in-time.ts'
import type { OidcSettings } from '../../../../src/sources/oauth/oidc/oidc-settings.ts'
import { connectProvider } from '../../../../src/sources/oauth/oidc/protocol/connect-provider.ts'
import { exchangeCode, type SignedIn } from '../../../../src/sources/oauth/oidc/protocol/exchange-code.ts'
import type { ConnectionParts } from '../../../../src/sources/oauth/oidc/provider.ts'
import { createAuthorizationRequest } from '../../../../src/sources/oauth/oidc/sign-in/run-oidc-sign-in.ts'
import { toFailureParts } from '../../../setup/failure-parts.ts'
import type { Lies } from '../../../stand-ins/lying-provider/lies.ts'
import { type LyingProvider, startLyingProvider } from '../../../stand-ins/lying-provider/lying-provider.ts'
import { plainSettings, startProviderParts } from './oidc-bench.ts'

/** A provider that lies, and what a client of it is set to. */
export interface LiarBench {
  readonly provider: LyingProvider
  readonly host: string
  readonly settings: OidcSettings
  readonly parts: ConnectionParts
  connect(): ReturnType<typeof connectProvider>
  /** Signs in with a browser that shows no page. */
  signIn(): Promise<SignedIn>
}

export async function startLiarBench(lies: Lies = {}, more: Partial<OidcSettings> = {}): Promise<LiarBench> {
  const provider = await startLyingProvider(lies)
  onTestFinished(() => provider[Symbol.asyncDispose]())
  const settings = { ...plainSettings(provider.issuer), clientId: provider.clientId, ...more }
  const parts = { ...(await startProviderParts()), fetch: fetchInTime }
  const connect = () => connectProvider(settings, parts)
  return {
    provider,
    host: new URL(provider.issuer).host,
    settings,
    parts,
    connect,
    signIn: () => signInWith(connect),
  }
}

/** Signs in over a connection. */
export async function signInWith(connect: LiarBench['connect']): Promise<SignedIn> {
  const { connection } = await connect()
  const request = await createAuthorizationRequest('http://127.0.0.1:9/callback', connection)
  const response = await fetch(request.prompt.address, { redirect: 'manual' })
  const back = new URL(response.headers.get('location') ?? '')
  return exchangeCode(back.searchParams, request, connection)
}

/** Returns a failure as its parts. */
export function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then((succeeded) => ({ succeeded }), toFailureParts)
}
