import { Deadline } from '../../../src/runtime/deadline.ts'
import { type HelperError, toHelperError } from '../../../src/runtime/failure.ts'
import { type NetworkOptions, toNetworkSettings } from '../../../src/runtime/network/settings.ts'
import type { OidcSettings } from '../../../src/sources/oauth/oidc/oidc-settings.ts'
import { createOidcFlow } from '../../../src/sources/oauth/oidc/sign-in/oidc-flow.ts'
import type { ShownPrompt } from '../../../src/sources/oauth/progress/note.ts'
import { runFlow } from '../../../src/sources/oauth/run-flow.ts'
import { createMemoryStore } from '../../../src/sources/oauth/store/memory-store.ts'
import type { StoredSignIn } from '../../../src/sources/oauth/store/sign-in-store.ts'
import { testHost } from '../test-host.ts'

/** How a sign-in is made. */
export interface SignInWays {
  readonly way?: 'browser' | 'device'
  /** How long the call may take. */
  readonly seconds?: number
  readonly network?: Partial<NetworkOptions>
}

/** A person who reacts to a prompt; gives the last page, where there is one. */
export type Person = (prompt: ShownPrompt) => Promise<string | undefined>

/** How a sign-in ended, for the person and for the store. */
interface SignInEnd {
  readonly failure: HelperError | undefined
  readonly page: string | undefined
  readonly kept: StoredSignIn | undefined
}

/** Signs in with an OpenID provider as the process that signs in does, with a store in memory and no browser but the person's. */
export async function signInTo(settings: OidcSettings, person: Person, ways: SignInWays = {}): Promise<SignInEnd> {
  const { way = 'browser', seconds = 20, network } = ways
  const { host, call } = await openCall(seconds, network)
  const store = createMemoryStore()
  let page: Promise<string | undefined> | undefined
  const flow = createOidcFlow(settings, { host, store, way })
  const ended = runFlow(
    flow,
    { host, call, way },
    {
      record: async () => {},
      tell: (prompt) => {
        page ??= person(prompt).catch(() => undefined) // told once more when a browser has been opened
      },
      readLastWaiting: async () => 0,
      readStop: async () => undefined,
      release: async () => {},
      needsNew: true,
      limit: 'run',
      pagesMs: 0,
    },
  )
  const failure = await ended.then(() => undefined, toHelperError)
  if (failure?.kind === 'bug') throw failure.cause
  return { failure, page: await page, kept: await store.read(call.deadline) }
}

/** Opens a call of that many seconds, by the system's own clock. */
export async function openCall(seconds: number, options: Partial<NetworkOptions> = {}) {
  const begin = performance.now()
  const clock = { now: Date.now, startedAt: Date.now(), elapsedMs: () => performance.now() - begin }
  // A browser that does nothing: the person of the test has their own.
  const host = await testHost({ clock, home: '/home/nobody', env: { BROWSER: '/bin/true' } })
  const deadline = new Deadline({ seconds, hint: 'start again' }, clock)
  const network = toNetworkSettings({ proxy: undefined, noProxy: undefined, ca: undefined, ...options }, {})
  return { host, call: { program: 'p', context: 'interactive', deadline, network, warn: () => {} } as const }
}
