import { detectProviderFamily } from '../../../../contract/identity-providers/detect-family.ts'
import { usualRedirectPath } from '../../../../contract/identity-providers/to-registered-redirect.ts'
import { HelperError } from '../../../../runtime/failure.ts'
import type { SignInTools } from '../../flow.ts'
import type { CallbackError, ListenerOptions } from '../../listener/callback-listener.ts'
import { createCallbackPath } from '../../listener/callback-path.ts'
import { listReferrers } from '../../listener/referrers.ts'
import type { SignInWay } from '../../options.ts'
import { createStoredSignIn } from '../../store/create-stored-sign-in.ts'
import type { SignInStore } from '../../store/sign-in-store.ts'
import { fetchForSignIn } from '../../ways/fetch-for-sign-in.ts'
import { runInBrowser } from '../../ways/run-in-browser.ts'
import { describeProvider } from '../describe-provider.ts'
import { intruderHint } from '../protocol/answer-failure.ts'
import { connectProvider } from '../protocol/connect-provider.ts'
import { exchangeCode, type SignedIn } from '../protocol/exchange-code.ts'
import type { ProviderConnection } from '../protocol/provider-connection.ts'
import { toRefusal } from '../protocol/refuse-refusal.ts'
import { refuseReservedParameters } from '../refuse-reserved-parameters.ts'
import type { OidcSettings } from '../settings.ts'
import { createAuthorizationRequest } from './authorization-request.ts'
import { runDeviceSignIn } from './run-device-sign-in.ts'

/**
 * Signs a person in with an OpenID provider: with a browser that comes back to this machine, or where none can open, with a code.
 * @throws {HelperError} that every waiting run reports; nothing is stored then.
 */
export async function runOidcSignIn(
  settings: OidcSettings,
  { store, way, tools }: { readonly store: SignInStore; readonly way: SignInWay; readonly tools: SignInTools },
): Promise<void> {
  const { host, call } = tools
  refuseReservedParameters(settings)
  // First, so that nobody signs in for a store that cannot be used.
  await store.prepare(call.deadline)
  const { connection } = await connectProvider(settings, { host, call, fetch: fetchForSignIn })
  const keep = async ({ tokens, subject }: SignedIn) => {
    await store.change(call.deadline, { make: async () => createStoredSignIn(tokens, host.clock.now(), subject) })
  }
  if (tools.canOpenBrowser) await askInBrowser(connection, tools, keep)
  else await keep(await runDeviceSignIn(connection, { tools, way }))
}

async function askInBrowser(
  connection: ProviderConnection,
  tools: SignInTools,
  keep: (signedIn: SignedIn) => Promise<void>,
): Promise<void> {
  await runInBrowser(tools, {
    listener: toListener(connection),
    begin: async (redirectUri) => {
      const request = await createAuthorizationRequest(redirectUri, connection)
      return { ...request, redeem: async (answer) => keep(await exchangeCode(answer, request, connection)) }
    },
  })
}

/** An error that came back is explained by the listener, so that it stands on the last page and in every run alike. */
function toListener({ settings, metadata }: ProviderConnection): ListenerOptions {
  const { redirectHost, redirectPort, responseMode, issuer, additionalRedirectReferrerHosts: more } = settings
  return {
    hosts: [redirectHost],
    path: choosePath(settings),
    port: redirectPort,
    responseMode,
    referrers: listReferrers([issuer, metadata.authorization_endpoint], more),
    explainError: (error) => explainCallback(error, { settings, metadata }),
  }
}

/** Another provider that the person was led to could answer as well (RFC 9207, section 2.4). */
function explainCallback(
  { error, description, issuer, redirectUri }: CallbackError,
  { settings, metadata }: Pick<ProviderConnection, 'settings' | 'metadata'>,
): HelperError {
  const isOther = issuer !== undefined && metadata.issuer !== undefined && issuer !== metadata.issuer
  if (!isOther) return toRefusal({ error, description, where: 'callback' }, { settings, redirectUri })
  return new HelperError(
    'refused',
    `the browser did not come back from ${describeProvider(settings)} but from another provider (iss)`,
    intruderHint,
  )
}

/** No page that the person has open can guess a random path. Where providers compare the path, it has to be the registered one. */
function choosePath(settings: OidcSettings): string {
  if (settings.redirectPath !== undefined) return settings.redirectPath
  return detectProviderFamily(settings).loopback.path === 'any' ? createCallbackPath() : usualRedirectPath
}
