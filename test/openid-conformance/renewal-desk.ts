import { type HelperError, toHelperError } from '../../src/runtime/failure.ts'
import type { OidcSettings } from '../../src/sources/oauth/oidc/oidc-settings.ts'
import { openProvider } from '../../src/sources/oauth/oidc/protocol/open-provider.ts'
import { createMemoryStore } from '../../src/sources/oauth/store/memory-store.ts'
import { renewSignIn } from '../../src/sources/oauth/store/renew-sign-in.ts'
import type { SignInStore, StoredSignIn } from '../../src/sources/oauth/store/sign-in-store.ts'
import { signOut } from '../../src/sources/oauth/store/sign-out.ts'
import { openCall, signInTo } from '../setup/sign-in/sign-in-to.ts'
import type { Lies } from '../stand-ins/lying-provider/lies.ts'
import { type LyingProvider, startLyingProvider } from '../stand-ins/lying-provider/lying-provider.ts'
import { createPerson } from '../stand-ins/provider/person/create-person.ts'
import { createPlain, describe, toSettings } from './sign-in-desk.ts'

/** The whole of what a renewal or a sign-out does. */
interface LaterOutcome {
  readonly outcome: 'done' | readonly [kind: string, message: string, hint: string]
  readonly warnings: readonly string[]
  readonly kept: 'renewed' | 'as before' | 'with the next refresh token' | 'without the refresh token' | 'nothing'
  /** The requests that the provider received since the sign-in. */
  readonly asked: string
  readonly strayed: readonly string[]
}

/** Renews a sign-in at a provider that was honest until then. The gateway has refused the tokens that are left. */
export async function renewWith(lies: Lies, more?: Partial<OidcSettings>): Promise<LaterOutcome> {
  return runLater(lies, more, (settings, store, { host, call }) =>
    renewSignIn(settings, store, { host, call: { ...call, context: 'mid-session-refresh' }, isEnough: () => false }),
  )
}

export async function signOutWith(lies: Lies): Promise<LaterOutcome> {
  return runLater(lies, {}, (settings, store, parts) =>
    signOut(settings, store, { ...parts, flow: { id: 'none' }, open: openProvider }),
  )
}

type Parts = Awaited<ReturnType<typeof openLaterCall>>
type Later = (settings: OidcSettings, store: SignInStore, parts: Parts) => Promise<unknown>

async function runLater(lies: Lies, more: Partial<OidcSettings> | undefined, run: Later): Promise<LaterOutcome> {
  await using provider = await startLyingProvider()
  const settings = toSettings(provider, more)
  const before = await signInHonestly(settings)
  const store = createMemoryStore()
  const parts = await openLaterCall()
  await store.change(parts.call.deadline, { make: async () => before })
  const known = provider.requests.length
  provider.lie(lies)
  const failure = await run(settings, store, parts).then(() => undefined, toHelperError)
  return summarize(provider, known, {
    failure,
    warnings: parts.warnings,
    before,
    after: await store.read(parts.call.deadline),
  })
}

async function signInHonestly(settings: OidcSettings): Promise<StoredSignIn> {
  const { kept } = await signInTo(settings, async ({ address }) => (await createPerson().open(address)).text)
  if (!kept) throw new Error('nobody is signed in')
  return kept
}

async function openLaterCall() {
  const warnings: string[] = []
  const { host, call } = await openCall(20)
  return { host, call: { ...call, warn: (text: string) => void warnings.push(text) }, warnings }
}

interface Ended {
  readonly failure: HelperError | undefined
  readonly warnings: readonly string[]
  readonly before: StoredSignIn
  readonly after: StoredSignIn | undefined
}

function summarize(provider: LyingProvider, known: number, { failure, warnings, before, after }: Ended): LaterOutcome {
  const plain = createPlain(provider)
  return {
    outcome: failure ? describe(failure, plain) : 'done',
    warnings: warnings.map(plain),
    kept: compareKept(before, after),
    asked: provider.requests
      .slice(known)
      .map(({ endpoint }) => endpoint)
      .join(' '),
    strayed: provider.elsewhere.requests,
  }
}

function compareKept({ tokens: before }: StoredSignIn, after: StoredSignIn | undefined): LaterOutcome['kept'] {
  if (!after) return 'nothing'
  if (!after.tokens.refreshToken) return 'without the refresh token'
  if (after.tokens.accessToken?.reveal() !== before.accessToken?.reveal()) return 'renewed'
  return after.tokens.refreshToken.reveal() === before.refreshToken?.reveal()
    ? 'as before'
    : 'with the next refresh token'
}
