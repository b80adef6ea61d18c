import type { NetworkCall } from '../../../../src/helper/define-helper.ts'
import { Deadline } from '../../../../src/runtime/deadline.ts'
import type { SignInPrompt, SignInTools } from '../../../../src/sources/oauth/flow.ts'
import { openListener } from '../../../../src/sources/oauth/listener/open-listener.ts'
import type { OidcSettings } from '../../../../src/sources/oauth/oidc/oidc-settings.ts'
import { createOidcFlow } from '../../../../src/sources/oauth/oidc/sign-in/oidc-flow.ts'
import type { SignInWay } from '../../../../src/sources/oauth/sign-in-options.ts'
import { createMemoryStore } from '../../../../src/sources/oauth/store/memory-store.ts'
import type { StoredSignIn } from '../../../../src/sources/oauth/store/sign-in-store.ts'
import { toFailureParts } from '../../../setup/failure-parts.ts'
import { testHost } from '../../../setup/test-host.ts'

/** Returns a registration that asks for nothing special, with a provider at this address. */
export const plainSettings = (issuer?: string): OidcSettings => ({
  issuer,
  clientId: 'gatepass',
  bearerTokenType: 'id_token',
  appendOfflineAccess: true,
  redirectHost: '127.0.0.1',
  additionalRedirectReferrerHosts: [],
})

/** Prepares the context in which requests are made, with the real clock. */
export async function startProviderParts() {
  const elapsedMs = () => performance.now()
  const host = await testHost({ clock: { now: Date.now, startedAt: Date.now(), elapsedMs } })
  const network = { proxy: undefined, authorities: [] }
  const deadline = new Deadline({ seconds: performance.now() / 1000 + 30, hint: 'h' }, host.clock)
  const call = { program: 'p', context: 'interactive', warn: () => {}, deadline, network }
  return { host, call: call as unknown as NetworkCall } // no more of it is used
}

/** How a sign-in ended: what was stored and what the person saw last, or the failure. */
type SignInEnd =
  | { readonly signIn: StoredSignIn; readonly prompt: SignInPrompt; readonly seen: unknown }
  | { readonly failure: readonly [kind: string, message: string, hint: string]; readonly stored: unknown }

/** Signs a person in, who acts on what is shown. */
export async function signIn(
  settings: OidcSettings,
  person: (prompt: SignInPrompt) => Promise<unknown>,
  tools: Partial<SignInTools> & { readonly way?: SignInWay } = {},
): Promise<SignInEnd> {
  const { host, call } = await startProviderParts()
  const store = createMemoryStore()
  const flow = createOidcFlow(settings, { host, store, way: tools.way ?? 'auto' })
  let shown: { readonly prompt: SignInPrompt; readonly seen: Promise<unknown> } | undefined
  try {
    await flow.run({
      host,
      call,
      canOpenBrowser: true,
      signal: new AbortController().signal,
      beginStoring: () => {},
      openListener: (options) => openListener(options, { subject: flow.subject }),
      show: async (prompt) => {
        shown = { prompt, seen: person(prompt).catch((error: Error) => error.message) }
      },
      ...tools,
    })
  } catch (error) {
    return { failure: toFailureParts(error), stored: await store.read(call.deadline) }
  }
  const stored = await store.read(call.deadline)
  if (!stored || !shown) throw new Error('nothing is stored')
  return { signIn: stored, prompt: shown.prompt, seen: await shown.seen }
}

/** Returns the stored sign-in of one that went well. */
export function requireSignedIn(end: SignInEnd): Extract<SignInEnd, { signIn: StoredSignIn }> {
  if ('failure' in end) throw new Error(end.failure.join(' | '))
  return end
}
