import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { HelperError, toHelperError } from '../../../../runtime/failure.ts'
import { Secret } from '../../../../runtime/secret.ts'
import { runInBrowser } from '../../../oauth/ways/run-in-browser.ts'
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
  await runInBrowser(parts.tools, {
    listener: { hosts: ['127.0.0.1'], path: '/oauth/callback' },
    begin: async (redirectUri) => {
      const [state, verifier] = [randomUUID(), randomBytes(48).toString('base64url')]
      return {
        state,
        prompt: { address: renderAuthorizeUrl({ client, redirectUri, state, verifier }, parts.site.session, parts) },
        redeem: async (answer) => {
          const proof = { redirectUri, codeVerifier: new Secret(verifier), code: new Secret(answer.get('code') ?? '') }
          await store(await exchangeGrant({ grantType: 'authorization_code', ...proof }, client, parts))
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
