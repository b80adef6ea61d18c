import type { SignInTools } from '../../../oauth/flow.ts'
import { fetchForSignIn } from '../../../oauth/ways/fetch-for-sign-in.ts'
import type { SsoGrant } from '../files/registration-file.ts'
import { readStoredToken, writeStoredToken } from '../files/stored-token.ts'
import type { SsoClient, SsoToken } from '../files/token-file.ts'
import type { SsoSite } from '../sso-parts.ts'
import { runBrowserSignIn } from './browser-sign-in.ts'
import { runDeviceSignIn } from './device-sign-in.ts'
import { isClientRefused, toSignInFailure } from './refusals.ts'
import { resolveClient } from './registration.ts'
import type { SignInParts } from './sign-in-parts.ts'
import { resolvePortal } from './start-url.ts'

/**
 * Signs a person in to a session, and stores that for all AWS tools: with a browser that comes back to this machine where the
 * profile names a session and a browser can be opened, otherwise with a code, as the AWS CLI does.
 * @throws {HelperError} that every waiting run reports.
 */
export async function runSsoSignIn(site: SsoSite, tools: SignInTools): Promise<void> {
  const { host, call } = tools
  const { session, endpoints, place } = site
  // A file that is not this user's own is refused before anybody signs in.
  await call.deadline.during('file', 'reading the SSO session', () => readStoredToken(session, host))
  const portal = await resolvePortal(session, place, call)
  const { region, url: issuerUrl } = portal
  const parts = { host, call, fetch: fetchForSignIn, endpoints, tools, site, region, issuerUrl }
  const store = (token: SsoToken) => writeStoredToken(token, session, { host, deadline: call.deadline })
  const hasBrowser = session.session !== undefined && tools.canOpenBrowser
  try {
    if (hasBrowser) await withClient('authorization_code', parts, (client) => runBrowserSignIn(client, parts, store))
    else await store(await withClient('device_code', parts, (client) => runDeviceSignIn(client, parts)))
  } catch (error) {
    throw toSignInFailure(error, site)
  }
}

/** AWS forgets clients; then another is registered, once. */
async function withClient<T>(grant: SsoGrant, parts: SignInParts, use: (client: SsoClient) => Promise<T>): Promise<T> {
  const request = { session: parts.site.session, grant, issuerUrl: parts.issuerUrl }
  const client = await resolveClient(request, parts)
  try {
    return await use(client)
  } catch (error) {
    if (!isClientRefused(error)) throw error
    return use(await resolveClient(request, parts, client))
  }
}
