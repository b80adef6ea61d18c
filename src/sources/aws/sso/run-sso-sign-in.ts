import { randomUUID } from 'node:crypto'
import { grantTypes } from '../../../contract/oauth-names.ts'
import { HelperError, toHelperError } from '../../../runtime/failure.ts'
import { Secret } from '../../../runtime/secret.ts'
import { fetchForSignIn } from '../../oauth/fetch-for-sign-in.ts'
import { denial, describeUnfinished, newSignInHint, type SignInTools } from '../../oauth/flow.ts'
import { createCodeVerifier, digestVerifier, runInBrowser } from '../../oauth/run-in-browser.ts'
import { type DeviceCode, slowDownSec, usualIntervalSec, waitForDevice } from '../../oauth/wait-for-device.ts'
import { interceptionHint } from '../request/foreign-answer.ts'
import { awsListener } from '../resolve-endpoint.ts'
import { fetchPortal } from './fetch-portal.ts'
import { chooseScopes, resolveRegisteredClient, type SsoGrant } from './registration.ts'
import {
  describeService,
  exchangeGrant,
  locateOidc,
  type OidcParts,
  SlowDownError,
  SsoRefusal,
  sendOidc,
} from './send-sso.ts'
import { describeSession, type SsoSession, type SsoSite, signInLimitSec } from './sso-session.ts'
import { readStoredToken, type SsoClient, type SsoToken, writeStoredToken } from './stored-token.ts'

/**
 * Signs a person in to a session, and stores the sign-in for all AWS tools: with a browser that comes back to this machine if the
 * profile names a session and a browser can be opened, otherwise with a code, as the AWS CLI does.
 * @throws {HelperError} that every waiting run reports.
 */
export async function runSsoSignIn(site: SsoSite, tools: SignInTools): Promise<void> {
  const { host, call } = tools
  const { session, endpoints, paths } = site
  // A file that is not this user's own is refused before anybody signs in.
  await call.deadline.during('file', 'reading the SSO session', () => readStoredToken(session, host))
  const portal = await fetchPortal(session, paths, call)
  const { region, url: issuerUrl } = portal
  const parts = { host, call, fetch: fetchForSignIn, endpoints, tools, site, region, issuerUrl }
  const store = async (token: SsoToken) => {
    tools.beginStoring()
    await writeStoredToken(token, session, { host, deadline: call.deadline })
  }
  const hasBrowser = session.session !== undefined && tools.canOpenBrowser
  try {
    if (hasBrowser)
      await attemptWithClient('authorization_code', parts, (client) => runBrowserSignIn(client, parts, store))
    else await store(await attemptWithClient('device_code', parts, (client) => runDeviceSignIn(client, parts)))
  } catch (error) {
    throw toSignInFailure(error, site)
  }
}

/** Runs a sign-in with a registered client. If AWS has deleted the client, another one is registered, once. */
async function attemptWithClient<T>(
  grant: SsoGrant,
  parts: DeviceSignInParts,
  use: (client: SsoClient) => Promise<T>,
): Promise<T> {
  const request = { session: parts.site.session, grant, issuerUrl: parts.issuerUrl }
  const client = await resolveRegisteredClient(request, parts)
  try {
    return await use(client)
  } catch (error) {
    if (!isClientRefused(error)) throw error
    return use(await resolveRegisteredClient(request, parts, client))
  }
}

/**
 * Signs a person in with a browser that comes back to this machine: authorization code with PKCE (RFC 7636).
 * @param store Stores the token. The last page also reports its failure.
 * @throws {SsoRefusal} for a refusal; `HelperError` for anything else.
 */
async function runBrowserSignIn(
  client: SsoClient,
  parts: DeviceSignInParts,
  store: (token: SsoToken) => Promise<void>,
): Promise<void> {
  await runInBrowser(parts.tools, {
    listener: awsListener,
    begin: async (redirectUri) => {
      const [state, verifier] = [randomUUID(), createCodeVerifier()]
      return {
        state,
        prompt: { address: renderAuthorizeUrl({ client, redirectUri, state, verifier }, parts.site.session, parts) },
        redeem: async (answer) => {
          const proof = { redirectUri, codeVerifier: new Secret(verifier), code: new Secret(answer.get('code') ?? '') }
          await store(await exchangeGrant({ grantType: 'authorization_code', ...proof }, client, parts))
          return undefined // AWS does not name the person
        },
      }
    },
    explain: (error) => toLastWord(error, parts),
  })
}

interface AuthorizeRequest {
  readonly client: SsoClient
  readonly redirectUri: string
  readonly state: string
  readonly verifier: string
}

/** Renders the address of the authorization request, as the AWS CLI does. Its parameter is `scopes`, and not `scope` as in RFC 6749. */
function renderAuthorizeUrl(
  { client, redirectUri, state, verifier }: AuthorizeRequest,
  session: SsoSession,
  parts: DeviceSignInParts,
): string {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: client.id,
    redirect_uri: redirectUri,
    state,
    code_challenge_method: 'S256',
    scopes: chooseScopes(session).join(' '),
    code_challenge: digestVerifier(verifier),
  })
  return `${locateOidc('authorize', parts)}?${String(query).replaceAll('+', '%20')}`
}

/** Chooses what the last page shows. After a refusal of the client, another tab opens. */
function toLastWord(error: unknown, { site }: DeviceSignInParts): HelperError {
  if (!isClientRefused(error)) return toHelperError(toSignInFailure(error, site))
  const subject = describeSession(site.session)
  return new HelperError('refused', `AWS no longer knew the program that asks for ${subject}`, 'go on in the other tab')
}

/** Returns whether AWS refused the registered client, which it deletes after a while, and not the sign-in. */
function isClientRefused(error: unknown): error is SsoRefusal {
  return error instanceof SsoRefusal && ['invalid_client', 'unauthorized_client'].includes(error.code)
}

/** Converts a refusal to a failure; any other error is returned unchanged. */
function toSignInFailure(error: unknown, { session, paths }: SsoSite): unknown {
  if (!(error instanceof SsoRefusal)) return error
  const subject = describeSession(session)
  const options = { cause: error }
  switch (error.code) {
    case 'access_denied':
      return new HelperError('refused', `the sign-in to ${subject} ${denial.problem}`, denial.hint, options)
    case 'expired_token':
      return new HelperError('sign-in-required', describeUnfinished(subject, signInLimitSec), newSignInHint, options)
    case 'invalid_grant':
      return new HelperError(
        'refused',
        `AWS SSO did not accept the code with which the sign-in to ${subject} ended (${error.code})`,
        newSignInHint,
        options,
      )
    default:
      return new HelperError(
        'refused',
        `AWS SSO in ${session.region} refused the sign-in to ${subject} at ${session.startUrl} (${error.code})`,
        `correct sso_start_url, sso_region or sso_registration_scopes in ${paths}: IAM Identity Center shows the first two`,
        options,
      )
  }
}

/**
 * Signs a person in with a code that is confirmed in any browser (RFC 8628). AWS is polled once before anything is shown, because the
 * sign-in may be permitted already.
 * @throws {SsoRefusal} for a refusal, `expired_token` if nobody confirmed the code; `HelperError` for anything else.
 */
async function runDeviceSignIn(client: SsoClient, parts: DeviceSignInParts): Promise<SsoToken> {
  const device = await fetchDeviceCode(client, parts)
  const poll = () => attemptPoll(device, client, parts)
  const atOnce = await poll()
  if (typeof atOnce === 'object') return atOnce
  const { address, userCode, expiresAt, intervalSec } = device
  await parts.tools.show({ address, userCode, expiresAt: new Date(expiresAt) })
  const { host, call } = parts
  const wait = { deadline: call.deadline, clock: host.clock, expiresAt, poll }
  const token = await waitForDevice({ ...wait, intervalSec: intervalSec + (atOnce === 'slow down' ? slowDownSec : 0) })
  if (token === 'expired') throw new SsoRefusal('expired_token')
  return token
}

async function fetchDeviceCode(client: SsoClient, parts: DeviceSignInParts): Promise<DeviceCode> {
  const members = { clientId: client.id, clientSecret: client.secret.reveal(), startUrl: parts.issuerUrl }
  const { deviceCode, userCode, verificationUriComplete, verificationUri, expiresIn, interval } = await sendOidc(
    'StartDeviceAuthorization',
    members,
    parts,
  )
  const address = verificationUriComplete ?? verificationUri
  if (typeof deviceCode !== 'string' || typeof userCode !== 'string' || typeof address !== 'string')
    throw new HelperError('unavailable', `${describeService(parts.region)} answered without a code`, interceptionHint)
  return {
    deviceCode: new Secret(deviceCode),
    userCode,
    address,
    expiresAt: parts.host.clock.now() + parseSeconds(expiresIn, signInLimitSec) * 1000,
    intervalSec: Math.max(1, parseSeconds(interval, usualIntervalSec)),
  }
}

function parseSeconds(value: unknown, usualSec: number): number {
  return typeof value === 'number' && value >= 0 ? value : usualSec
}

/** Polls once. A network failure counts as pending, so that it does not end a wait of minutes. */
async function attemptPoll(
  { deviceCode }: DeviceCode,
  client: SsoClient,
  parts: DeviceSignInParts,
): Promise<SsoToken | 'pending' | 'slow down'> {
  const grant = { grantType: grantTypes.deviceCode, deviceCode } as const
  try {
    return await exchangeGrant(grant, client, parts)
  } catch (error) {
    if (error instanceof SlowDownError) return 'slow down'
    if (error instanceof SsoRefusal && error.code === 'authorization_pending') return 'pending'
    if (error instanceof HelperError && error.kind === 'unavailable') return 'pending'
    throw error
  }
}

/** The inputs of one way of signing in. `region` is the portal's. */
interface DeviceSignInParts extends OidcParts {
  readonly host: Pick<SignInTools['host'], 'home' | 'clock'>
  readonly tools: SignInTools
  readonly site: SsoSite
  /** The address of the portal; see `fetchPortal`. */
  readonly issuerUrl: string
}
