// Makes sign-ins with real providers, in real time.

import { midSessionTimeoutSec } from '../../contract/limits.ts'
import { type BearerTokenType, bearerTokenNames } from '../../contract/oauth-names.ts'
import { Deadline } from '../../runtime/deadline.ts'
import { HelperError, toHelperError, toOneLine } from '../../runtime/failure.ts'
import { createHost, type Host } from '../../runtime/host.ts'
import { type NetworkSettings, toNetworkSettings } from '../../runtime/network/settings.ts'
import type { Environment } from '../../runtime/run-process.ts'
import type { SignInParts } from '../../sources/oauth/flow.ts'
import type { OidcSettings } from '../../sources/oauth/oidc/oidc-settings.ts'
import { createMemoryStore } from '../../sources/oauth/store/memory-store.ts'
import type { StoredSignIn } from '../../sources/oauth/store/sign-in-store.ts'
import { findBearer } from '../../sources/oauth/store/stored-tokens.ts'
import { programName } from '../../version.ts'
import type { ClientSignIn, OpenSignIn, SignInResult } from './client-sign-in.ts'

/** Opens the sign-in page. It may run until the person has finished; an error that it throws ends the sign-in. */
export type OpenAddress = (address: string) => Promise<unknown>

/** Creates sign-ins of real people with real providers, in real time, with tokens in memory. */
export function createOpenSignIn(setup: SignInSetup): OpenSignIn {
  return (settings) => openSignIn(settings, setup)
}

/** The setup of a sign-in: requests use `network`, and instructions for the person go to the host's stderr. */
interface SignInSetup {
  /** The name at the beginning of messages. */
  readonly program: string
  readonly host: Host
  readonly network: NetworkSettings
  /** Opens the sign-in page; in a browser of this machine by default. */
  readonly openAddress?: OpenAddress | undefined
}

/**
 * Creates sign-ins for a client inside another program: its requests are direct, like its turns. With `openAddress` nothing is printed,
 * because the caller has the address.
 */
export function createLibrarySignIn({ env, platform, openAddress }: OpenSignInSetup): OpenSignIn {
  const system = createHost()
  const streams = openAddress ? { ...system.streams, stderr: () => {} } : system.streams
  const network = toNetworkSettings({ proxy: undefined, noProxy: undefined, ca: undefined }, env)
  return createOpenSignIn({ program: programName, host: { ...system, env, platform, streams }, network, openAddress })
}

/** The environment of a client, for finding a browser and certificates. */
interface OpenSignInSetup {
  readonly env: Environment
  readonly platform: NodeJS.Platform
  readonly openAddress?: OpenAddress | undefined
}

function openSignIn(settings: OidcSettings, setup: SignInSetup): ClientSignIn {
  const { host } = setup
  const store = createMemoryStore()
  return {
    signIn: () =>
      measure(settings, host, async () => {
        // Loaded on use, because a client without a person does not need it.
        const { createOidcFlow } = await import('../../sources/oauth/oidc/sign-in/oidc-flow.ts')
        const { attemptSignIn } = await import('../../sources/oauth/attempt-sign-in.ts')
        const parts = createParts(setup, 'interactive')
        const flow = createOidcFlow(settings, { host, store, way: parts.way })
        await attemptSignIn(flow, parts, { files: undefined, needsNew: true, limit: 'provider' })
        return store.read(parts.call.deadline)
      }),
    renew: () =>
      measure(settings, host, async () => {
        const { renewSignIn } = await import('../../sources/oauth/store/renew-sign-in.ts')
        // The client has already determined that the renewal is due.
        return renewSignIn(settings, store, { ...createParts(setup, 'mid-session-refresh'), isEnough: () => false })
      }),
  }
}

function createParts({ program, host, network, openAddress }: SignInSetup, context: SignInParts['call']['context']) {
  // A person waits for the turn.
  const seconds = Math.ceil(host.clock.elapsedMs() / 1000) + midSessionTimeoutSec
  const deadline = new Deadline(
    { seconds, hint: 'check that this machine reaches the identity provider, and try again' },
    host.clock,
  )
  const call: SignInParts['call'] = { program, context, deadline, network, warn: () => {} }
  return { host, call, way: 'auto', openAddress: openAddress && withQuotedFailure(openAddress) } as const
}

/** Adds the way out to an error of the caller's own function, which it quotes. */
function withQuotedFailure(openAddress: OpenAddress): OpenAddress {
  return async (address) => {
    try {
      return await openAddress(address)
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      const message = `the address of the sign-in could not be opened: ${toOneLine(reason)}`
      const hint = 'correct openAddress, or remove it, so that a browser of this machine opens'
      throw new HelperError('refused', message, hint, { cause })
    }
  }
}

async function measure(
  { bearerTokenType }: OidcSettings,
  { clock }: Host,
  work: () => Promise<StoredSignIn | undefined>,
): Promise<SignInResult> {
  const began = clock.elapsedMs()
  const durationMs = () => Math.round(clock.elapsedMs() - began)
  try {
    const signIn = await work()
    const token = signIn && findBearer(signIn, bearerTokenType)
    if (!token) throw toMissing(bearerTokenType)
    const { refreshToken, expiresAt } = signIn.tokens
    // The time is relative to now, because the client's own clock may be simulated.
    const lifeSec = expiresAt && Math.max(0, (expiresAt.getTime() - clock.now()) / 1000)
    return { ok: true, token, lifeSec, isRenewable: refreshToken !== undefined, durationMs: durationMs() }
  } catch (error) {
    return { ok: false, failure: toHelperError(error), durationMs: durationMs() }
  }
}

function toMissing(type: BearerTokenType): HelperError {
  return new HelperError(
    'refused',
    `the provider issued no ${bearerTokenNames[type]}`,
    'report this to whoever runs the provider, or set bearerTokenType',
  )
}
