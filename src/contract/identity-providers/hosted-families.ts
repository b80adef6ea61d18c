import type { ProviderFamily } from './family.ts'

/** Providers that exist as a service only. */
export const hostedFamilies = {
  okta: {
    name: 'okta',
    title: 'Okta',
    // "The redirect_uri … must exactly match", with the port among the common mistakes (Okta support, "Redirect URI").
    loopback: { host: 'either', port: 'registered', path: 'registered' },
    redirectSetting: 'in the application, under General, as a "Sign-in redirect URI"',
    publicSetting: 'in the application, under General, set client authentication to None, with PKCE',
    offlineAccess: 'scope',
    resource: 'ignored',
    audience: 'the authorization server: its issuer ends in /oauth2/… and it has one audience',
    gatewayToken: {
      type: 'either',
      why: 'the access token of a custom authorization server, whose audience is set there; with the issuer of the organization itself the ID token',
    },
    browserErrors: '"redirect_uri must be a Login redirect URI in the client app settings"',
    deviceGrant: true,
  },
  google: {
    name: 'google',
    title: 'Google',
    // "OAuth 2.0 for iOS & Desktop Apps" (Google): http://127.0.0.1:port, nothing of it is registered for a desktop client.
    loopback: { host: '127.0.0.1', port: 'any', path: 'any' },
    publicSetting: 'create a client of the type "Desktop app"',
    // Google's documentation calls it optional; its users report that it is not (google_workspace_mcp, issue 1008).
    asksForSecret: true,
    offlineAccess: 'refused',
    parameters: { access_type: 'offline', prompt: 'consent' },
    resource: 'ignored',
    gatewayToken: { type: 'id_token', why: 'the ID token, because only Google can read its access tokens' },
    browserErrors:
      '"redirect_uri_mismatch", "admin_policy_enforced", "org_internal", "disallowed_useragent", or "invalid_scope", which offline_access is at Google',
    // Only for clients of the type "TVs and Limited Input devices", which have a secret.
    deviceGrant: false,
  },
  auth0: {
    name: 'auth0',
    title: 'Auth0',
    // Its users report that the port is compared, as with Okta (issue 357 of openid/AppAuth-iOS).
    loopback: { host: 'either', port: 'registered', path: 'registered' },
    redirectSetting: 'in the application, under Settings, as an "Allowed Callback URL"',
    publicSetting: 'in the application, under Settings, choose the type "Native"',
    offlineAccess: 'scope',
    resource: 'ignored',
    audience: 'the parameter audience of the authorization request',
    gatewayToken: {
      type: 'either',
      why: 'the ID token; an access token is a JWT only with an audience, otherwise it is opaque',
    },
    browserErrors: '"Callback URL mismatch"',
    deviceGrant: true,
  },
  pingone: {
    name: 'pingone',
    title: 'PingOne',
    // PingOne documentation, "Redirect URIs": any valid port of a loopback address.
    loopback: { host: 'either', port: 'any', path: 'registered' },
    redirectSetting: 'in the application, under Configuration, as a "Redirect URI"',
    publicSetting:
      'in the application, under Configuration, set the token endpoint authentication method to None, with PKCE',
    offlineAccess: 'client',
    resource: 'unknown',
    audience: 'a custom resource, whose scopes are asked for',
    gatewayToken: {
      type: 'either',
      why: 'the access token for a scope of a custom resource; the ID token where the gateway takes the client as audience',
    },
    deviceGrant: true,
  },
  cognito: {
    name: 'cognito',
    title: 'Amazon Cognito',
    // `CallbackURLs` in the API reference: https, except http://localhost.
    loopback: { host: 'localhost', isOnlyHost: true, port: 'registered', path: 'registered' },
    redirectSetting: 'in the app client, under login pages, as an "Allowed callback URL"',
    publicSetting: 'create an app client of the type "Mobile app", which has no secret',
    offlineAccess: 'refused',
    resource: 'unknown',
    gatewayToken: {
      type: 'id_token',
      why: 'the ID token, because the access token has no aud unless a resource was asked for',
    },
    browserErrors: '"redirect_mismatch"',
    deviceGrant: false,
  },
  salesforce: {
    name: 'salesforce',
    title: 'Salesforce',
    loopback: { host: 'localhost', isOnlyHost: true, port: 'registered', path: 'registered' },
    redirectSetting: 'in the external client app, as a "Callback URL"',
    publicSetting:
      'in the external client app, require PKCE and no secret for the web server flow and for the refresh token flow',
    offlineAccess: 'scope',
    resource: 'ignored',
    gatewayToken: {
      type: 'id_token',
      why: 'the ID token, because an access token is opaque unless JWTs are switched on',
    },
    browserErrors: '"redirect_uri_mismatch" or "OAUTH_APP_BLOCKED"',
    deviceGrant: false,
  },
} as const satisfies Partial<Record<ProviderFamily['name'], ProviderFamily>>
