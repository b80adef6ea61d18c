import { Deadline } from '../../../../runtime/deadline.ts'
import type { Host } from '../../../../runtime/host.ts'
import type { SignInFlow } from '../../flow.ts'
import type { SignInWay } from '../../options.ts'
import { nameSignIn } from '../../store/name-sign-in.ts'
import type { SignInStore, StoredSignIn } from '../../store/sign-in-store.ts'
import { describeProvider } from '../describe-provider.ts'
import type { OidcSettings } from '../settings.ts'

/** How long a person may take, in seconds. Our decision, as for the sign-ins to AWS. */
const limitSec = 600

/** In seconds, for a look into the store, which is a file. A sign-in outlives the deadline of the run that began it. */
const longestReadSec = 5

/** The sign-in with an OpenID provider; its result is left in the store. */
export function createOidcFlow(
  settings: OidcSettings,
  { host, store, way }: { readonly host: Pick<Host, 'clock'>; readonly store: SignInStore; readonly way: SignInWay },
): SignInFlow {
  const { clock } = host
  return {
    id: JSON.stringify(['oidc', nameSignIn(settings)]),
    subject: describeProvider(settings),
    limitSec,
    isSignedIn: async () => {
      const seconds = Math.ceil(clock.elapsedMs() / 1000) + longestReadSec
      const signIn = await store.read(new Deadline({ seconds, hint: 'start again' }, clock))
      return signIn !== undefined && isUsable(signIn, settings, clock.now())
    },
    findUnfinishedHint: async () => {
      const { describeUnfinished } = await import('../../../../contract/identity-providers/describe-redirect.ts')
      return describeUnfinished(settings)
    },
    run: async (tools) => {
      const { runOidcSignIn } = await import('./run-oidc-sign-in.ts')
      await runOidcSignIn(settings, { store, way, tools })
    },
  }
}

/** A refresh token may have ended too, which only the provider knows. */
function isUsable({ tokens }: StoredSignIn, { bearerTokenType }: OidcSettings, now: number): boolean {
  if (tokens.refreshToken) return true
  const token = bearerTokenType === 'id_token' ? tokens.idToken : tokens.accessToken
  return token !== undefined && (tokens.expiresAt === undefined || tokens.expiresAt.getTime() > now)
}
