import type { ProviderFamily } from './family.ts'

/** Providers that organizations install themselves; they are recognized by a path. */
export const installedFamilies = {
  keycloak: {
    name: 'keycloak',
    title: 'Keycloak',
    // RedirectUtils in Keycloak's sources: http://localhost and http://127.0.0.1 are compared without the port as well.
    loopback: { host: 'either', port: 'any', path: 'registered' },
    redirectSetting: 'in the client, under Settings, as a "Valid redirect URI"',
    publicSetting: 'in the client, under Settings, switch "Client authentication" off',
    offlineAccess: 'scope',
    resource: 'ignored',
    audience: 'a mapper of the type "Audience" in a client scope',
    gatewayToken: {
      type: 'either',
      why: 'the access token with an audience mapper for the gateway; the ID token where the gateway takes the client as audience',
    },
    browserErrors: '"Invalid parameter: redirect_uri" or "Client not found"',
    deviceGrant: true,
  },
  pingfederate: {
    name: 'pingfederate',
    title: 'PingFederate',
    loopback: { host: 'either', port: 'registered', path: 'registered' },
    redirectSetting: 'in the client, among its "Redirect URIs"',
    publicSetting: 'in the client, set client authentication to None and require PKCE',
    offlineAccess: 'client',
    resource: 'understood',
    gatewayToken: {
      type: 'either',
      why: 'the access token of an access token manager that issues JWTs; the ID token where the tokens are references',
    },
    deviceGrant: true,
  },
  adfs: {
    name: 'adfs',
    title: 'AD FS',
    loopback: { host: 'either', port: 'registered', path: 'registered' },
    redirectSetting: 'in the application group, as a redirect URI of the native application',
    publicSetting: 'in the application group, add it as a "Native application"',
    offlineAccess: 'client',
    resource: 'understood',
    gatewayToken: { type: 'access_token', why: 'the access token, whose audience is the Web API that resource names' },
    browserErrors: 'MSIS9224 (redirect URI) or MSIS9223 (client ID), in the details of the error',
    deviceGrant: true,
  },
} as const satisfies Partial<Record<ProviderFamily['name'], ProviderFamily>>
