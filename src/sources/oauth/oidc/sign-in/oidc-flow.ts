import { Deadline } from '../../../../runtime/deadline.ts'
import type { Host } from '../../../../runtime/host.ts'
import { newSignInHint, type SignInFlow } from '../../flow.ts'
import type { SignInWay } from '../../sign-in-options.ts'
import { nameSignIn } from '../../store/name-sign-in.ts'
import type { SignInStore, StoredSignIn } from '../../store/sign-in-store.ts'
import { findBearer, isRefused } from '../../store/stored-tokens.ts'
import { describeProvider, describePurpose } from '../describe-provider.ts'
import { computeScope, type OidcSettings } from '../oidc-settings.ts'

/** Creates the sign-in with an OpenID provider, which writes its result to the store. */
export function createOidcFlow(
  settings: OidcSettings,
  { host, store, way }: { readonly host: Pick<Host, 'clock'>; readonly store: SignInStore; readonly way: SignInWay },
): SignInFlow {
  const { clock } = host
  return {
    id: JSON.stringify(['oidc', nameSignIn(settings)]),
    request: toRequestInputs(settings),
    subject: describeProvider(settings),
    purpose: describePurpose(settings),
    limitSec,
    isSignedIn: async () => {
      const seconds = Math.ceil(clock.elapsedMs() / 1000) + longestReadSec
      const signIn = await store.read(new Deadline({ seconds, hint: newSignInHint }, clock))
      return signIn !== undefined && isUsable(signIn, settings, clock.now())
    },
    explainUnfinished: async () => {
      const { describeUnfinished } = await import('../../../../contract/identity-providers/describe-redirect.ts')
      return describeUnfinished(settings)
    },
    run: async (tools) => {
      const { runOidcSignIn } = await import('./run-oidc-sign-in.ts')
      await runOidcSignIn(settings, { store, way, tools })
    },
  }
}

/** How long a person may take, in seconds. Our decision, as for the sign-ins to AWS. */
const limitSec = 600

/** In seconds: how long reading the store's file may take. A sign-in outlives the deadline of the run that began it. Our decision. */
const longestReadSec = 5

/** Collects the settings that decide where the browser comes back, who may send it, and how the answer is redeemed. */
function toRequestInputs(settings: OidcSettings): string {
  const { redirectHost, redirectPort, redirectPath, responseMode, additionalRedirectReferrerHosts } = settings
  const { deviceAuthorizationUrl, clientSecretFile, clientAuth } = settings
  return JSON.stringify([
    ...[redirectHost, redirectPort, redirectPath, responseMode, additionalRedirectReferrerHosts],
    ...[computeScope(settings), deviceAuthorizationUrl, clientSecretFile, clientAuth],
  ])
}

/** Returns whether a stored sign-in can be used. Its refresh token may have ended, which only a request to the provider can show. */
function isUsable(signIn: StoredSignIn, { bearerTokenType }: OidcSettings, now: number): boolean {
  const { tokens, challenge } = signIn
  if (challenge) return false
  if (tokens.refreshToken) return true
  if (isRefused(signIn)) return false
  return (
    findBearer(signIn, bearerTokenType) !== undefined &&
    (tokens.expiresAt === undefined || tokens.expiresAt.getTime() > now)
  )
}
