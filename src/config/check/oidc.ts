import { brokerFlow, describeBrokers } from '../../contract/identity-brokers.ts'
import { detectProviderFamily } from '../../contract/identity-providers/detect-family.ts'
import type { Oidc } from '../document.ts'
import type { Finding } from '../finding.ts'
import { createFinding } from '../finding.ts'
import { validateProviderRules } from './identity-provider.ts'
import { type Rule, reportMissing, type Subject } from './rule.ts'

const at = (name: string) => `inference.credential.oidc.${name}`

/** Rules about a sign-in with an identity provider. */
export const oidcRules: readonly Rule[] = [
  function validateIdentityProvider(subject) {
    const { credential } = subject.inference
    if (credential?.kind !== 'external-idp' || credential.oidc) return []
    return reportMissing(
      subject,
      'inference.credential.oidc',
      'there is no identity provider to sign in with',
      'set its clientId and issuer',
    )
  },

  function validateBroker({ inference: { credential }, os, spell }) {
    if (!credential || !('authFlow' in credential) || credential.authFlow !== 'broker') return []
    return [
      createFinding(
        'broker-needed',
        spell('inference.credential.authFlow'),
        `the sign-in needs ${describeBrokers(os)}; ${brokerFlow}`,
        'install it on every machine, or remove this so that a browser opens',
      ),
    ]
  },

  forOidc(function validateClientId({ clientId }, subject) {
    return clientId === undefined
      ? reportMissing(subject, at('clientId'), 'it is not set', 'set it to the client ID of the app registration')
      : []
  }),

  forOidc(validateEndpoints),

  forOidc(function validateEndpointSchemes(oidc, { spell }) {
    const insecure = (['issuer', 'authorizationUrl', 'tokenUrl'] as const).filter(
      (name) => oidc[name] && new URL(oidc[name]).protocol !== 'https:',
    )
    return insecure.map((name) =>
      createFinding('insecure-url', spell(at(name)), 'a sign-in needs https', 'use https://'),
    )
  }),

  forOidc(function validateScopes({ bearerTokenType, scopes }, { spell }) {
    if (bearerTokenType !== 'access_token' || scopes !== undefined) return []
    return [
      createFinding(
        'scopes-missing',
        spell(at('scopes')),
        'an access token without a scope is not valid for any service',
        "set it to the gateway's API scope",
      ),
    ]
  }),

  forOidc(function validateOfflineAccess(oidc, { spell }) {
    const { appendOfflineAccess, scopes } = oidc
    if (appendOfflineAccess !== false || scopes?.split(/\s+/).includes('offline_access')) return []
    if (detectProviderFamily(oidc).offlineAccess !== 'scope') return []
    const message =
      'without offline_access there may be no refresh token, and users sign in again whenever a token expires'
    return [
      createFinding(
        'offline-access-off',
        spell(at('appendOfflineAccess')),
        message,
        'remove it, or add offline_access to the scopes',
      ),
    ]
  }),

  forOidc(function validateRedirectHost(oidc, { spell }) {
    if (oidc.redirectHost !== 'localhost' || detectProviderFamily(oidc).loopback.host === 'localhost') return []
    return [
      createFinding(
        'redirect-localhost',
        spell(at('redirectHost')),
        'the app registration must list localhost as the host of its redirect',
        'otherwise use 127.0.0.1',
      ),
    ]
  }),

  forOidc(validateProviderRules),
]

function forOidc(rule: (oidc: Oidc, subject: Subject) => readonly Finding[]): Rule {
  return (subject) => {
    const { credential } = subject.inference
    return credential && 'oidc' in credential && credential.oidc ? rule(credential.oidc, subject) : []
  }
}

function validateEndpoints({ issuer, authorizationUrl, tokenUrl }: Oidc, subject: Subject): Finding[] {
  if (issuer !== undefined) {
    if (authorizationUrl === undefined && tokenUrl === undefined) return []
    return [
      createFinding(
        'issuer-and-urls',
        subject.spell(at('issuer')),
        'URLs of its endpoints are set too; the issuer is used',
        'remove authorizationUrl and tokenUrl',
      ),
    ]
  }
  if (authorizationUrl === undefined && tokenUrl === undefined) {
    return reportMissing(
      subject,
      at('issuer'),
      'neither the issuer nor both URLs of its endpoints are set',
      'set it, or set authorizationUrl and tokenUrl',
    )
  }
  return (['authorizationUrl', 'tokenUrl'] as const)
    .filter((name) => (name === 'tokenUrl' ? tokenUrl : authorizationUrl) === undefined)
    .flatMap((name) =>
      reportMissing(
        subject,
        at(name),
        'without an issuer both URLs are needed',
        'set it, or set issuer instead of the other URL',
      ),
    )
}
