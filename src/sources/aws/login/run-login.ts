import { randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline'
import { ReadStream } from 'node:tty'
import { HelperError } from '../../../runtime/failure.ts'
import { quoteForHint } from '../../../runtime/text/quote.ts'
import { parseClaims } from '../../../runtime/tokens/jwt.ts'
import { fetchForSignIn } from '../../oauth/fetch-for-sign-in.ts'
import type { SignInTools } from '../../oauth/flow.ts'
import { createCodeVerifier, digestVerifier, runInBrowser } from '../../oauth/run-in-browser.ts'
import { changeSharedFile, readSharedFile } from '../files/shared-file.ts'
import { interceptionHint } from '../request/foreign-answer.ts'
import { awsListener, resolveEndpoint } from '../resolve-endpoint.ts'
import { exchangeGrant, type LoginTokens } from './exchange-grant.ts'
import { createDpopKey, renderDpopKey, renderSignedIn } from './login-session.ts'
import { describeService, describeSignIn, type LoginSite, toLoginPath } from './login-site.ts'

/**
 * Signs a person in to the console, and stores the sign-in where the AWS CLI does: authorization code with PKCE (RFC 7636), bound to a new
 * key (DPoP, RFC 9449).
 * @throws {HelperError} if the sign-in failed; the file is unchanged then.
 */
export async function runLogin(site: LoginSite, tools: SignInTools): Promise<void> {
  const { host, call } = tools
  // Checked first, so that nobody signs in if the file cannot be replaced.
  await call.deadline.during('file', 'reading the console sign-in', () =>
    readSharedFile(toLoginPath(site.session, host)),
  )
  const store = (answer: AuthorizedCode) => writeSignIn(answer, site, tools)
  if (tools.canOpenBrowser) await askInBrowser(site, tools, store)
  else await store(await askForPaste(site, tools))
}

interface AuthorizedCode {
  readonly request: LoginRequest
  readonly code: string
}

async function writeSignIn({ request, code }: AuthorizedCode, site: LoginSite, tools: SignInTools): Promise<void> {
  const { host, call } = tools
  const { clientId, codeVerifier, redirectUri } = request
  const key = createDpopKey()
  const grant = { grantType: 'authorization_code', clientId, code, codeVerifier, redirectUri } as const
  const tokens = await exchangeGrant(grant, key, { site, host, call, fetch: fetchForSignIn })
  refuseOther(tokens, site)
  const details = { clientId, account: parseAccount(site.session), dpopKey: renderDpopKey(key) }
  tools.beginStoring()
  await changeSharedFile(toLoginPath(site.session, host), call.deadline, {
    otherRun: `another run that renews ${describeSignIn(site)}`,
    whenBusy: 'wait',
    find: async () => undefined,
    make: (file) => file.write(renderSignedIn(tokens, details, host.clock.now())),
  })
}

/** Signs a person in with a browser on this machine, which brings the code back to the listener. */
async function askInBrowser(
  site: LoginSite,
  tools: SignInTools,
  store: (answer: AuthorizedCode) => Promise<void>,
): Promise<void> {
  await runInBrowser(tools, {
    listener: awsListener,
    begin: async (redirectUri) => {
      const request = createAuthorizationRequest('same-device', redirectUri)
      return {
        state: request.state,
        prompt: { address: renderAuthorizationAddress(toOrigin(site), request) },
        redeem: async (answer) => {
          await store({ request, code: answer.get('code') ?? '' })
          return undefined // its subject names the person
        },
      }
    },
  })
}

/** Signs a person in with a browser on another machine, which shows a code that the person pastes here. */
async function askForPaste(site: LoginSite, tools: SignInTools): Promise<AuthorizedCode> {
  refuseWithoutTerminal(site, tools)
  const origin = toOrigin(site)
  const request = createAuthorizationRequest('cross-device', renderConfirmationAddress(origin))
  await tools.show({ address: renderAuthorizationAddress(origin, request) })
  return { request, code: await askForCode(request, site, tools) }
}

function refuseWithoutTerminal({ profile }: LoginSite, { host, call }: SignInTools): void {
  if (host.streams.attached() === 'terminal') return
  throw new HelperError(
    'sign-in-required',
    `no browser opens here for the console sign-in of profile "${profile}", and AWS shows a code that is pasted in a terminal`,
    toSignInHint(profile, call),
  )
}

function toSignInHint(profile: string, { program }: SignInTools['call']): string {
  return `run in a terminal: ${program} sign-in --profile ${quoteForHint(profile)}`
}

/** Renders the address of the page on which AWS shows the code, for a browser on another machine. */
function renderConfirmationAddress(origin: string): string {
  return new URL('/v1/sessions/confirmation', origin).href
}

/**
 * Asks the person at the terminal for the code that the browser shows, until it is a code of this request.
 * @throws {HelperError} `sign-in-required` if the person ends the input.
 */
async function askForCode(request: LoginRequest, { profile }: LoginSite, { host, call }: SignInTools): Promise<string> {
  const ask = (text: string) => host.streams.stderr(`${call.program}: ${text}\n`)
  // This stream is closed with the question, which `process.stdin` cannot be: only the host touches the process.
  const input = new ReadStream(0)
  const lines = createInterface({ input, terminal: false })
  try {
    ask('when you are done there, paste the code that the page shows, and press Enter')
    for await (const line of lines) {
      const code = parsePastedCode(line, request)
      if (code !== undefined) return code
      if (line.trim() !== '') ask('that is not the code of this sign-in: copy it again, whole, and paste it')
    }
  } finally {
    lines.close()
    input.destroy()
  }
  throw new HelperError(
    'sign-in-required',
    'the sign-in was given up before a code was pasted',
    toSignInHint(profile, call),
  )
}

/** Refuses a sign-in as another person than the profile's. The browser may have another session with the console. */
function refuseOther({ idToken }: LoginTokens, site: LoginSite): void {
  const subject = parseClaims(idToken)?.sub
  if (subject === site.session) return
  if (typeof subject !== 'string')
    throw new HelperError('unavailable', `${describeService(site)} does not say who has signed in`, interceptionHint)
  throw new HelperError(
    'refused',
    `you signed in to AWS as ${subject}, but profile "${site.profile}" is for ${site.session}`,
    `start again and choose ${site.session} in the browser; for the other, make a profile with: aws login --profile NAME`,
  )
}

/** Parses the account in the name of a console sign-in, which is an ARN. */
function parseAccount(session: string): string {
  return session.split(':')[4] ?? ''
}

function toOrigin({ region, endpoints }: LoginSite): string {
  return resolveEndpoint({ service: 'signin', region }, endpoints).url.origin
}

/** The client IDs of the two kinds of client: with the browser on this machine, or on another one. AWS CLI 2.36, `customizations/login`. */
const clientIds = {
  'same-device': 'arn:aws:signin:::devtools/same-device',
  'cross-device': 'arn:aws:signin:::devtools/cross-device',
} as const

/** One request for an authorization code (RFC 7636), with the values by which its answer is validated and redeemed. */
interface LoginRequest {
  readonly clientId: string
  readonly redirectUri: string
  readonly state: string
  readonly codeVerifier: string
}

/** Creates a request with a new state and code verifier. */
function createAuthorizationRequest(device: keyof typeof clientIds, redirectUri: string): LoginRequest {
  return {
    clientId: clientIds[device],
    redirectUri,
    state: randomUUID(),
    codeVerifier: createCodeVerifier(),
  }
}

/** Renders the address that a person opens. AWS names the code challenge method `SHA-256`, and not `S256` as RFC 7636 does. */
function renderAuthorizationAddress(origin: string, request: LoginRequest): string {
  const address = new URL('/v1/authorize', origin)
  const parameters = {
    response_type: 'code',
    client_id: request.clientId,
    state: request.state,
    code_challenge_method: 'SHA-256',
    scope: 'openid',
    redirect_uri: request.redirectUri,
    code_challenge: digestVerifier(request.codeVerifier),
  }
  address.search = new URLSearchParams(parameters).toString()
  return address.href
}

/** Parses the code in a pasted text, base64 of `state=…&code=…`; `undefined` for another text and for the code of another request. */
function parsePastedCode(pasted: string, { state }: LoginRequest): string | undefined {
  const answer = new URLSearchParams(Buffer.from(pasted.trim(), 'base64').toString())
  const code = answer.get('code')
  return code !== null && code !== '' && answer.get('state') === state ? code : undefined
}
