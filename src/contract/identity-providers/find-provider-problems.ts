import { detectProviderFamily } from './detect-family.ts'
import { findAccessTokenProblem } from './find-access-token-problem.ts'
import { findIssuerProblem } from './find-issuer-problem.ts'
import type { FindProblem, NameSetting, ProviderProblem, ProviderSettings } from './provider-settings.ts'

/** What settings ask of a provider that one of its family does not do, or does otherwise. */
export function findProviderProblems(settings: ProviderSettings, name: NameSetting): ProviderProblem[] {
  return rules.map((rule) => rule(settings, name)).filter((problem) => problem !== undefined)
}

const findHostProblem: FindProblem = (settings, name) => {
  const { title, loopback } = detectProviderFamily(settings)
  if (loopback.host !== 'localhost' || settings.redirectHost === 'localhost') return undefined
  const hint = `set ${name('redirectHost')} to localhost`
  return loopback.isOnlyHost
    ? {
        setting: 'redirectHost',
        code: 'redirect-host-refused',
        message: `${title} redirects to no address of this machine but localhost`,
        hint,
      }
    : {
        setting: 'redirectHost',
        code: 'redirect-host-unlisted',
        message: `${title} takes http://127.0.0.1 only where the manifest of the app registration lists it, which its pages do not offer`,
        hint,
      }
}

const findPortProblem: FindProblem = (settings, name) => {
  const { title, loopback } = detectProviderFamily(settings)
  if (loopback.port === 'any' || settings.redirectPort !== undefined) return undefined
  return {
    setting: 'redirectPort',
    code: 'redirect-port-unset',
    message: `${title} compares the port of the redirect with the registered ones, and a free port is another each time`,
    hint: `set ${name('redirectPort')}, and register the redirect URI with it`,
  }
}

const findSecretProblem: FindProblem = (settings, name) => {
  const { title, asksForSecret } = detectProviderFamily(settings)
  if (!asksForSecret || settings.clientSecretFile !== undefined) return undefined
  return {
    setting: 'clientId',
    code: 'client-secret-needed',
    message: `${title} gives a desktop client a secret and, as its users report, refuses a sign-in without it`,
    hint: settings.parameters
      ? `write the secret into a file on each machine, and set ${name('clientSecretFile')} to its path`
      : `use a helper script that reads it from a file (client-secret-file): a document has no field for it`,
  }
}

const findOfflineProblem: FindProblem = (settings, name) => {
  const { title, offlineAccess } = detectProviderFamily(settings)
  const isInScopes = settings.scopes?.split(/\s+/).includes('offline_access') ?? false
  if (offlineAccess !== 'refused' || (settings.appendOfflineAccess === false && !isInScopes)) return undefined
  const remedy = isInScopes
    ? `remove offline_access from ${name('scopes')}, and set ${name('appendOfflineAccess')} to false`
    : `set ${name('appendOfflineAccess')} to false`
  return {
    setting: isInScopes ? 'scopes' : 'appendOfflineAccess',
    code: 'offline-access-refused',
    message: `${title} knows no scope offline_access, and refuses a sign-in that asks for it (invalid_scope)`,
    hint: remedy,
  }
}

const findParameterProblem: FindProblem = (settings, name) => {
  const { title, parameters = {} } = detectProviderFamily(settings)
  const missing = Object.entries(parameters).filter(([key, value]) => settings.parameters?.[key] !== value)
  if (missing.length === 0 || settings.keepsRefreshToken === false) return undefined
  const pairs = missing.map(([key, value]) => `${key}=${value}`).join(' and ')
  return {
    setting: settings.parameters ? 'parameters' : 'issuer',
    code: 'refresh-token-unasked',
    message: `${title} gives no refresh token without ${pairs}, so people sign in again whenever a token expires`,
    hint: settings.parameters
      ? `set ${name('parameters')} for each: ${pairs}`
      : 'use a helper script that can send them, or accept it',
  }
}

const findResourceProblem: FindProblem = (settings, name) => {
  const { title, resource, audience } = detectProviderFamily(settings)
  if (settings.resource === undefined || isOfVersion1(settings)) return undefined
  const hint = `remove ${name('resource')}${audience === undefined ? '' : `; the API is named by ${audience}`}`
  if (resource === 'refused')
    return {
      setting: 'resource',
      code: 'resource-refused',
      message: `${title} refuses a sign-in with it (AADSTS901002)`,
      hint,
    }
  if (resource === 'ignored')
    return {
      setting: 'resource',
      code: 'resource-ignored',
      message: `${title} does not look at it, so the token is for something else`,
      hint,
    }
  return undefined
}

/** The endpoints of version 1.0 of Entra ID know `resource`, and no scopes. */
function isOfVersion1({ issuer = '', authorizationUrl = '' }: ProviderSettings): boolean {
  return /^https:\/\/sts\./.test(issuer) || /\/oauth2\/authorize$/.test(authorizationUrl)
}

const findDeviceProblem: FindProblem = (settings, name) => {
  const { title, deviceGrant } = detectProviderFamily(settings)
  if (settings.signIn !== 'device' || deviceGrant) return undefined
  return {
    setting: 'signIn',
    code: 'device-grant-missing',
    message: `${title} has no sign-in by code for such a client`,
    hint: `set ${name('signIn')} to browser`,
  }
}

const rules: readonly FindProblem[] = [
  findIssuerProblem,
  findHostProblem,
  findPortProblem,
  findSecretProblem,
  findOfflineProblem,
  findParameterProblem,
  findResourceProblem,
  findAccessTokenProblem,
  findDeviceProblem,
]
