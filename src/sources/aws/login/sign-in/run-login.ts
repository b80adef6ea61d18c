import { HelperError } from '../../../../runtime/failure.ts'
import { parseJwt } from '../../../../runtime/tokens/jwt.ts'
import type { SignInTools } from '../../../oauth/flow.ts'
import { fetchForSignIn } from '../../../oauth/ways/fetch-for-sign-in.ts'
import { runInBrowser } from '../../../oauth/ways/run-in-browser.ts'
import { resolveEndpoint } from '../../endpoints/resolve-endpoint.ts'
import { interceptionHint } from '../../sdk/interception-hint.ts'
import { changeSharedFile } from '../../shared-file/change-shared-file.ts'
import { readSharedFile } from '../../shared-file/read-shared-file.ts'
import { createDpopKey, renderDpopKey } from '../dpop-key.ts'
import { exchangeGrant } from '../exchange-grant.ts'
import { toLoginPath } from '../login-file.ts'
import { renderSignedIn } from '../login-session.ts'
import { describeService, describeSignIn, type LoginSite } from '../login-site.ts'
import type { IssuedTokens } from '../token-answer.ts'
import { askForCode } from './ask-for-code.ts'
import {
  type AuthorizationRequest,
  createAuthorizationRequest,
  renderAuthorizationAddress,
  renderConfirmationAddress,
} from './authorization-request.ts'

/**
 * Signs a person in to the console, and keeps the sign-in where the AWS CLI does: authorization code with PKCE (RFC 7636), bound to
 * a new key (DPoP, RFC 9449).
 * @throws {HelperError} how it ended otherwise; nothing is overwritten then.
 */
export async function runLogin(site: LoginSite, tools: SignInTools): Promise<void> {
  const { host, call } = tools
  // First, so that nobody signs in for a file that is not replaced.
  await call.deadline.during('file', 'reading the console sign-in', () =>
    readSharedFile(toLoginPath(site.session, host)),
  )
  const store = (answer: Answer) => storeSignIn(answer, site, tools)
  if (tools.canOpenBrowser) await askInBrowser(site, tools, store)
  else await store(await askForPaste(site, tools))
}

interface Answer {
  readonly request: AuthorizationRequest
  readonly code: string
}

async function storeSignIn({ request, code }: Answer, site: LoginSite, { host, call }: SignInTools): Promise<void> {
  const { clientId, codeVerifier, redirectUri } = request
  const key = createDpopKey()
  const grant = { grantType: 'authorization_code', clientId, code, codeVerifier, redirectUri } as const
  const tokens = await exchangeGrant(grant, key, { site, call, fetch: fetchForSignIn })
  refuseOther(tokens, site)
  const details = { clientId, account: parseAccount(site.session), dpopKey: renderDpopKey(key) }
  await changeSharedFile(toLoginPath(site.session, host), call.deadline, {
    otherRun: `another run that renews ${describeSignIn(site)}`,
    whenBusy: 'wait',
    find: async () => undefined,
    make: (file) => file.write(renderSignedIn(tokens, details, host.clock.now())),
  })
}

/** The browser comes back to this machine with the code. */
async function askInBrowser(
  site: LoginSite,
  tools: SignInTools,
  store: (answer: Answer) => Promise<void>,
): Promise<void> {
  await runInBrowser(tools, {
    listener: { hosts: ['127.0.0.1'], path: '/oauth/callback' },
    begin: async (redirectUri) => {
      const request = createAuthorizationRequest('same-device', redirectUri)
      return {
        state: request.state,
        prompt: { address: renderAuthorizationAddress(findOrigin(site), request) },
        redeem: async (answer) => store({ request, code: answer.get('code') ?? '' }),
      }
    },
  })
}

/** The browser is on another machine, and shows a code that the person brings here. */
async function askForPaste(site: LoginSite, tools: SignInTools): Promise<Answer> {
  refuseWithoutTerminal(site, tools)
  const origin = findOrigin(site)
  const request = createAuthorizationRequest('cross-device', renderConfirmationAddress(origin))
  await tools.show({ address: renderAuthorizationAddress(origin, request) })
  return { request, code: await askForCode(request, tools) }
}

function refuseWithoutTerminal({ profile }: LoginSite, { host, call }: SignInTools): void {
  if (host.streams.attached() === 'terminal') return
  throw new HelperError(
    'sign-in-required',
    `no browser opens here for the console sign-in of profile "${profile}", and AWS shows a code that is pasted in a terminal`,
    `run in a terminal: ${call.program} sign-in --profile '${profile}'`,
  )
}

function findOrigin({ region, endpoints }: LoginSite): string {
  return resolveEndpoint({ service: 'signin', region }, endpoints).url.origin
}

/** The browser may be signed in to the console as somebody else. The profile is that of one identity, and stays so. */
function refuseOther({ idToken }: IssuedTokens, site: LoginSite): void {
  const subject = idToken && parseJwt(idToken.reveal())?.claims.sub
  if (subject === site.session) return
  if (typeof subject !== 'string')
    throw new HelperError('unavailable', `${describeService(site)} does not say who has signed in`, interceptionHint)
  throw new HelperError(
    'refused',
    `you signed in to AWS as ${subject}, but profile "${site.profile}" is for ${site.session}`,
    `start again and choose ${site.session} in the browser; for the other, make a profile with: aws login --profile NAME`,
  )
}

/** The account in the name of a console sign-in, which is an ARN. */
function parseAccount(session: string): string {
  return session.split(':')[4] ?? ''
}
