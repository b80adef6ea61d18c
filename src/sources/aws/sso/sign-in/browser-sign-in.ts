import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { HelperError, toHelperError } from '../../../../runtime/failure.ts'
import { Secret } from '../../../../runtime/secret.ts'
import type { CallbackListener } from '../../../oauth/listener/callback-listener.ts'
import { describeSession, type SsoSession } from '../files/sso-session.ts'
import type { SsoClient, SsoToken } from '../files/token-file.ts'
import { exchangeGrant } from '../requests/exchange-grant.ts'
import { locateOidc } from '../requests/send-oidc.ts'
import { isClientRefused, toSignInFailure } from './refusals.ts'
import { defaultScopes } from './registration.ts'
import type { SignInParts } from './sign-in-parts.ts'

/**
 * Signs a person in with a browser that comes back to this machine: authorization code with PKCE (RFC 7636).
 * @param store Keeps the token. The last page says how that went, too.
 * @throws {OidcRefusal} for a refusal; `HelperError` for anything else.
 */
export async function runBrowserSignIn(
  client: SsoClient,
  parts: SignInParts,
  store: (token: SsoToken) => Promise<void>,
): Promise<void> {
  const listener = await parts.tools.openListener({ hosts: ['127.0.0.1'], path: '/oauth/callback' })
  try {
    await store(await askInBrowser(client, listener, parts))
    await listener.finish('signed-in')
  } catch (error) {
    await listener.finish(toLastWord(error, parts))
    throw error
  } finally {
    await listener.close()
  }
}

async function askInBrowser(client: SsoClient, listener: CallbackListener, parts: SignInParts): Promise<SsoToken> {
  const { tools, site } = parts
  const { redirectUri } = listener
  const [state, verifier] = [randomUUID(), randomBytes(48).toString('base64url')]
  const address = renderAuthorizeUrl({ client, redirectUri, state, verifier }, site.session, parts)
  const callback = listener.waitForCallback(state)
  // Until it is awaited below, a refusal must not end the process.
  callback.catch(() => undefined)
  await tools.show({ address })
  const code = (await callback).get('code') ?? ''
  return exchangeGrant(
    { grantType: 'authorization_code', redirectUri, codeVerifier: new Secret(verifier), code: new Secret(code) },
    client,
    parts,
  )
}

interface AuthorizeRequest {
  readonly client: SsoClient
  readonly redirectUri: string
  readonly state: string
  readonly verifier: string
}

/** As the AWS CLI asks, in whose parameter of the scopes there is one letter more than in RFC 6749. */
function renderAuthorizeUrl(
  { client, redirectUri, state, verifier }: AuthorizeRequest,
  { scopes }: SsoSession,
  parts: SignInParts,
): string {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: client.id,
    redirect_uri: redirectUri,
    state,
    code_challenge_method: 'S256',
    scopes: (scopes?.length ? scopes : defaultScopes).join(' '),
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  })
  return `${locateOidc('authorize', parts)}?${String(query).replaceAll('+', '%20')}`
}

/** After a refusal of the client another tab opens. */
function toLastWord(error: unknown, { site }: SignInParts): HelperError {
  if (!isClientRefused(error)) return toHelperError(toSignInFailure(error, site))
  const subject = describeSession(site.session)
  return new HelperError('refused', `AWS no longer knew the program that asks for ${subject}`, 'go on in the other tab')
}
