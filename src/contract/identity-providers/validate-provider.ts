import { detectProviderFamily } from './detect-family.ts'
import { isFamilyGuessed } from './detect-family-name.ts'
import {
  type FindProblem,
  hasOfflineScope,
  type NameSetting,
  type ProviderProblem,
  type ProviderSettings,
} from './provider-settings.ts'
import { describeSignIns, validateRenewal } from './renewal.ts'

/** Finds the settings that a provider of this family does not support, or treats differently. */
export function validateProvider(settings: ProviderSettings, name: NameSetting): ProviderProblem[] {
  const problems = rules.map((rule) => rule(settings, name)).filter((problem) => problem !== undefined)
  const { name: family, title } = detectProviderFamily(settings)
  if (family === 'other' || !isFamilyGuessed(settings)) return problems
  const basis = `the path of its address is one of ${title}'s`
  return problems.map((problem) => ({ ...problem, message: `${problem.message} (${basis})` }))
}

/** An issuer must equal the one in the metadata and in each token, character by character (OpenID Connect Discovery 1.0, section 4.3). */
export const validateIssuer: FindProblem = (settings, name) => {
  const { issuer } = settings
  if (issuer === undefined || !URL.canParse(issuer)) return undefined
  if (metadataPath.test(issuer))
    return {
      setting: 'issuer',
      code: 'issuer-inexact',
      message: 'it is the address of the metadata, which begins with the issuer',
      hint: `remove ${metadataPath.exec(issuer)?.[0]} from ${name('issuer')}`,
    }
  return detectProviderFamily(settings).name === 'entra' ? validateEntra(settings, name) : undefined
}

const metadataPath = /\/\.well-known\/(openid-configuration|oauth-authorization-server)\/?$/

/** Knows tenants, versions, and the issuer in their metadata (Microsoft Learn, "OpenID Connect on the Microsoft identity platform"). */
const validateEntra: FindProblem = ({ issuer = '' }, name) => {
  const { hostname, pathname } = new URL(issuer)
  const [tenant, version] = pathname.split('/').filter((part) => part !== '')
  if (/^(common|organizations|consumers)$/.test(tenant ?? ''))
    return {
      setting: 'issuer',
      code: 'issuer-of-any-tenant',
      message: 'it names no tenant, and every token names one: whoever compares them refuses the token',
      hint: `put the ID of the tenant into ${name('issuer')} instead of ${tenant}`,
    }
  if (hostname.startsWith('sts.') || version === 'v2.0') return undefined
  return {
    setting: 'issuer',
    code: 'issuer-inexact',
    message:
      'without /v2.0 the metadata there name another issuer (https://sts.windows.net/…), and the sign-in is refused',
    hint: `set ${name('issuer')} to https://${hostname}/${tenant ?? 'TENANT'}/v2.0`,
  }
}

const validateHost: FindProblem = (settings, name) => {
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

const validatePort: FindProblem = (settings, name) => {
  const { title, loopback } = detectProviderFamily(settings)
  if (loopback.port === 'any' || settings.redirectPort !== undefined) return undefined
  return {
    setting: 'redirectPort',
    code: 'redirect-port-unset',
    message: `${title} compares the port of the redirect with the registered ones, and a free port is another each time`,
    hint: `set ${name('redirectPort')}, and register the redirect URI with it`,
  }
}

const validateSecret: FindProblem = (settings, name) => {
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

const validateOffline: FindProblem = (settings, name) => {
  const { title, offlineAccess } = detectProviderFamily(settings)
  const isInScopes = hasOfflineScope(settings)
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

const validateParameter: FindProblem = (settings, name) => {
  const { title, parameters = {} } = detectProviderFamily(settings)
  const missing = Object.entries(parameters).filter(([key, value]) => settings.parameters?.[key] !== value)
  if (missing.length === 0 || settings.keepsRefreshToken === false) return undefined
  const pairs = missing.map(([key, value]) => `${key}=${value}`).join(' and ')
  return {
    setting: settings.parameters ? 'parameters' : 'issuer',
    code: 'refresh-token-unasked',
    message: `${title} gives no refresh token without ${pairs}, so people sign in again whenever a token expires: ${describeSignIns(settings)}`,
    hint: settings.parameters
      ? `set ${name('parameters')} for each: ${pairs}`
      : 'use a helper script that can send them, or accept it',
  }
}

const validateResource: FindProblem = (settings, name) => {
  const { title, resource, audience } = detectProviderFamily(settings)
  // If only the path indicates the family, the provider may be another product, or a version that supports the parameter.
  if (settings.resource === undefined || isOfVersion1(settings) || isFamilyGuessed(settings)) return undefined
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

/** The version 1.0 endpoints of Entra ID support `resource`, and no scopes. */
function isOfVersion1({ issuer = '', authorizationUrl = '' }: ProviderSettings): boolean {
  return /^https:\/\/sts\./.test(issuer) || /\/oauth2\/authorize$/.test(authorizationUrl)
}

const validateDevice: FindProblem = (settings, name) => {
  const { title, deviceGrant } = detectProviderFamily(settings)
  if (settings.signIn !== 'device' || deviceGrant) return undefined
  return {
    setting: 'signIn',
    code: 'device-grant-missing',
    message: `${title} has no sign-in by code for such a client`,
    hint: `set ${name('signIn')} to browser`,
  }
}

/** Finds an access token for the gateway that only its issuer can read or verify. */
const validateAccessToken: FindProblem = (settings, name) => {
  const { findUncheckable } = detectProviderFamily(settings)
  const why = settings.bearerTokenType === 'access_token' ? findUncheckable?.(settings) : undefined
  if (why === undefined) return undefined
  return {
    setting: 'bearerTokenType',
    code: 'access-token-unverifiable',
    message: `no gateway can check this access token: ${why.problem}`,
    hint: why.describeRemedy(name('bearerTokenType')),
  }
}

const rules: readonly FindProblem[] = [
  validateIssuer,
  validateHost,
  validatePort,
  validateSecret,
  validateOffline,
  validateParameter,
  validateRenewal,
  validateResource,
  validateAccessToken,
  validateDevice,
]
