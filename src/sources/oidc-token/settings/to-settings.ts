import type { OidcSettings } from '../../oauth/oidc/settings.ts'
import type { OidcTokenOptions } from './options.ts'
import { toProblemError } from './problem.ts'
import { validateProvider } from './validate-provider.ts'
import { toHosts, validateRequest } from './validate-request.ts'

/**
 * The provider and the registration that the options name.
 * @throws {HelperError} `usage` or `not-configured` that names every option that is missing or cannot be used.
 */
export function toOidcSettings(options: OidcTokenOptions, program: string): OidcSettings {
  const problems = [...validateProvider(options, program), ...validateRequest(options)]
  if (problems.length > 0) throw toProblemError(problems)
  return {
    clientId: options['client-id'],
    clientSecretFile: options['client-secret-file'],
    clientAuth: options['client-auth'],
    issuer: options.issuer,
    authorizationUrl: options['authorization-url'],
    tokenUrl: options['token-url'],
    deviceAuthorizationUrl: options['device-authorization-url'],
    bearerTokenType: options['bearer-token-type'],
    scopes: options.scopes,
    // A refresh token that nobody keeps is not asked for: people would be asked to agree to it.
    appendOfflineAccess: options['append-offline-access'] && options['refresh-token-store'] !== 'none',
    resource: options.resource,
    redirectPort: options['redirect-port'],
    redirectHost: options['redirect-host'],
    redirectPath: options['redirect-path'],
    additionalRedirectReferrerHosts: toHosts(options['additional-redirect-referrer-hosts'] ?? ''),
    responseMode: options['response-mode'],
    parameters: Object.fromEntries(options['authorization-parameter'].map(splitAtEquals)),
  }
}

function splitAtEquals(text: string): [name: string, value: string] {
  const at = text.indexOf('=')
  return [text.slice(0, at), text.slice(at + 1)]
}
