import { isPlaceholder } from '../../contract/api-keys.ts'
import { brokerFlow, describeBrokers } from '../../contract/identity-brokers.ts'
import { detectProviderFamily } from '../../contract/identity-providers/detect-family.ts'
import { isCredentialHeader } from '../../runtime/text/credential-text.ts'
import { joinPath } from '../../runtime/values/position.ts'
import { type Oidc, unnamedSource } from '../document.ts'
import { credentialKinds } from '../field.ts'
import { createFinding, type Finding } from '../finding.ts'
import { findSimilar } from '../read/match-nested.ts'
import type { ReadResult } from '../read/read-document.ts'
import { validateProviderRules } from './helper-path.ts'
import { type DocumentRule, findCredential, type RuleSubject, reportMissing } from './rule.ts'

/** Rules about the provider, the headers and the credential. */
export const inferenceRules: readonly DocumentRule[] = [
  function validateProvider({ result, inference, spell }) {
    const path = spell('inference.provider')
    if (inference.provider || result.findings.some((other) => other.path === path)) return []
    if (!hasInferenceSettings(result)) {
      return [createFinding('not-activated', path, 'third-party mode is off', `to turn it on, set this to "gateway"`)]
    }
    return [
      createFinding(
        'provider-missing',
        path,
        'it is not set, so no gateway setting has an effect',
        'set it to "gateway"',
      ),
    ]
  },

  function validateCredential({ result, inference, spell }) {
    const path = spell('inference.credential.kind')
    if (
      inference.provider !== 'gateway' ||
      inference.credential ||
      result.findings.some((other) => other.path === path)
    )
      return []
    return [
      createFinding(
        'credential-missing',
        path,
        unnamedSource,
        `set it to one of ${kinds}, with the fields of that kind`,
      ),
    ]
  },

  function validateCustomHeaders({ inference, spell }) {
    const suspicious = Object.entries(inference.customHeaders ?? {}).filter(([name, value]) =>
      isCredentialHeader(name, value),
    )
    return suspicious.map(([name]) =>
      createFinding(
        'credential-in-headers',
        joinPath(spell('inference.customHeaders'), name),
        'this header carries a credential',
        'move it to the credential source; these headers are for routing',
      ),
    )
  },

  function validateApiKey(subject) {
    const credential = findCredential(subject, 'static')
    const path = 'inference.credential.apiKey'
    const hint = 'set it to the API key of the gateway'
    if (!credential) return []
    if (!credential.apiKey) return reportMissing(subject, path, 'there is no key', hint)
    if (!isPlaceholder(credential.apiKey)) return []
    return [createFinding('placeholder-key', subject.spell(path), 'it is a placeholder, not a key', hint)]
  },

  function validateUnusedKeys({ result }) {
    const left = result.unused.filter(({ field, value }) => field.secret && isPlaceholder(String(value)))
    return left.map(({ path }) =>
      createFinding(
        'placeholder-key-unused',
        path,
        'a placeholder key was left in; clients that guess would send it',
        'remove it',
      ),
    )
  },
]

/** Returns whether the document has any setting for inference, known or not. */
function hasInferenceSettings({ values, unused, findings }: ReadResult): boolean {
  return [...values, ...unused, ...findings].some(
    ({ path }) => path.startsWith('inference') || findSimilar(path, ['inference']) !== undefined,
  )
}

const kinds = credentialKinds.map((kind) => `"${kind}"`).join(', ')

const at = (name: string) => `inference.credential.oidc.${name}`

/** Rules about a sign-in with an identity provider. */
export const oidcRules: readonly DocumentRule[] = [
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

  toOidcRule(function validateClientId({ clientId }, subject) {
    return clientId === undefined
      ? reportMissing(subject, at('clientId'), 'it is not set', 'set it to the client ID of the app registration')
      : []
  }),

  toOidcRule(validateEndpoints),

  toOidcRule(function validateEndpointSchemes(oidc, { spell }) {
    const insecure = (['issuer', 'authorizationUrl', 'tokenUrl'] as const).filter(
      (name) => oidc[name] && new URL(oidc[name]).protocol !== 'https:',
    )
    return insecure.map((name) =>
      createFinding('insecure-url', spell(at(name)), 'a sign-in needs https', 'use https://'),
    )
  }),

  toOidcRule(function validateScopes({ bearerTokenType, scopes }, { spell }) {
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

  toOidcRule(function validateRedirectHost(oidc, { spell }) {
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

  toOidcRule(validateProviderRules),
]

function toOidcRule(rule: (oidc: Oidc, subject: RuleSubject) => readonly Finding[]): DocumentRule {
  return (subject) => {
    const { credential } = subject.inference
    return credential && 'oidc' in credential && credential.oidc ? rule(credential.oidc, subject) : []
  }
}

function validateEndpoints({ issuer, authorizationUrl, tokenUrl }: Oidc, subject: RuleSubject): Finding[] {
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
