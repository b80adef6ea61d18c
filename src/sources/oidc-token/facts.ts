import { HelperError } from '../../runtime/failure.ts'
import type { Secret } from '../../runtime/secret.ts'
import { parseJwt } from '../../runtime/tokens/jwt.ts'
import { toClaimFacts } from '../claim-facts.ts'
import type { OidcSettings } from '../oauth/oidc/settings.ts'
import type { StoredSignIn } from '../oauth/store/sign-in-store.ts'

/**
 * What header templates may use of a sign-in; claims are those of its ID token, which was verified when it was issued.
 * @throws {HelperError} `not-configured` for a claim that it does not have.
 */
export function toTokenFacts(
  { subject, tokens }: Pick<StoredSignIn, 'subject' | 'tokens'>,
  { issuer, bearerTokenType }: Pick<OidcSettings, 'issuer' | 'bearerTokenType'>,
  wanted: ReadonlySet<string> | undefined,
): Record<string, string> {
  const claims = readClaims(tokens.idToken)
  if (!claims) refuseClaims(wanted)
  const facts = Object.entries({
    subject: claims?.sub ?? subject,
    email: claims?.email,
    issuer: claims?.iss ?? issuer,
    bearer_token_type: bearerTokenType,
  })
  return {
    ...Object.fromEntries(facts.filter((fact): fact is [string, string] => typeof fact[1] === 'string')),
    ...toClaimFacts(claims ?? {}, wanted, 'the ID token'),
  }
}

function readClaims(idToken: Secret | undefined): Readonly<Record<string, unknown>> | undefined {
  return idToken && parseJwt(idToken.reveal())?.claims
}

function refuseClaims(wanted: ReadonlySet<string> | undefined): void {
  const claim = [...(wanted ?? [])].find((name) => name.startsWith('claims'))
  if (claim === undefined) return
  throw new HelperError(
    'not-configured',
    `a header asks for {${claim}}, and the provider gave no ID token`,
    'add openid to scopes, and sign in again',
  )
}
