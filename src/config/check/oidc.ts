import type { Oidc } from '../document.ts'
import type { Finding } from '../finding.ts'
import { finding } from '../finding.ts'
import { missing, type Rule, type Subject } from './rule.ts'

const at = (name: string) => `inference.credential.oidc.${name}`

/** What a sign-in with an identity provider needs. */
export const oidcRules: readonly Rule[] = [
  function providerIsThere(subject) {
    const { credential } = subject.inference
    if (credential?.kind !== 'external-idp' || credential.oidc) return []
    return missing(
      subject,
      'inference.credential.oidc',
      'there is no identity provider to sign in with',
      'set its clientId and issuer',
    )
  },

  forOidc(function clientIsNamed({ clientId }, subject) {
    return clientId === undefined
      ? missing(subject, at('clientId'), 'it is not set', 'set it to the client ID of the app registration')
      : []
  }),

  forOidc(endpointsAreKnown),

  forOidc(function endpointsAreEncrypted(oidc, { spell }) {
    const insecure = (['issuer', 'authorizationUrl', 'tokenUrl'] as const).filter(
      (name) => oidc[name] && new URL(oidc[name]).protocol !== 'https:',
    )
    return insecure.map((name) => finding('insecure-url', spell(at(name)), 'a sign-in needs https', 'use https://'))
  }),

  forOidc(function accessTokensHaveScopes({ bearerTokenType, scopes }, { spell }) {
    if (bearerTokenType !== 'access_token' || scopes !== undefined) return []
    return [
      finding(
        'scopes-missing',
        spell(at('scopes')),
        'an access token is for no service without a scope',
        "set it to the gateway's API scope",
      ),
    ]
  }),

  forOidc(function refreshIsPossible({ appendOfflineAccess, scopes }, { spell }) {
    if (appendOfflineAccess !== false || scopes?.split(/\s+/).includes('offline_access')) return []
    const message =
      'without offline_access there may be no refresh token, and users sign in again whenever a token expires'
    return [
      finding(
        'offline-access-off',
        spell(at('appendOfflineAccess')),
        message,
        'remove it, or add offline_access to the scopes',
      ),
    ]
  }),

  forOidc(function redirectIsRegistered({ redirectHost }, { spell }) {
    if (redirectHost !== 'localhost') return []
    return [
      finding(
        'redirect-localhost',
        spell(at('redirectHost')),
        'the app registration must list localhost as the host of its redirect',
        'otherwise use 127.0.0.1',
      ),
    ]
  }),
]

function forOidc(rule: (oidc: Oidc, subject: Subject) => readonly Finding[]): Rule {
  return (subject) => {
    const { credential } = subject.inference
    return credential && 'oidc' in credential && credential.oidc ? rule(credential.oidc, subject) : []
  }
}

function endpointsAreKnown({ issuer, authorizationUrl, tokenUrl }: Oidc, subject: Subject): Finding[] {
  if (issuer !== undefined) {
    if (authorizationUrl === undefined && tokenUrl === undefined) return []
    return [
      finding(
        'issuer-and-urls',
        subject.spell(at('issuer')),
        'it stands beside URLs of its own endpoints; the issuer is used',
        'remove authorizationUrl and tokenUrl',
      ),
    ]
  }
  if (authorizationUrl === undefined && tokenUrl === undefined) {
    return missing(
      subject,
      at('issuer'),
      'there is neither an issuer nor its two URLs',
      'set it, or set authorizationUrl and tokenUrl',
    )
  }
  return (['authorizationUrl', 'tokenUrl'] as const)
    .filter((name) => (name === 'tokenUrl' ? tokenUrl : authorizationUrl) === undefined)
    .flatMap((name) =>
      missing(
        subject,
        at(name),
        'without an issuer both URLs are needed',
        'set it, or set issuer instead of the other URL',
      ),
    )
}
