import { detectFamilyName, type FamilyName, type ProviderAddresses } from './detect-family-name.ts'
import type { AccessTokenSettings, ProviderFamily, UncheckableToken } from './family.ts'

/** Returns the known facts about the family of a provider. */
export function detectProviderFamily(addresses: ProviderAddresses): ProviderFamily {
  return providerFamilies[detectFamilyName(addresses)]
}

/** Providers that exist as a service only. */
const hostedFamilies = {
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
    // Access tokens of the organization's authorization server are for Okta ("OAuth 2.0 and OpenID Connect overview").
    findUncheckable: ({ issuer = '' }) =>
      /\/oauth2\/[^/]+/.test(issuer)
        ? undefined
        : {
            problem: "those of the organization's own authorization server are for Okta alone",
            describeRemedy: (setting) => `set the issuer to one that ends in /oauth2/…, or ${setting} to id_token`,
          },
    // An access token lives an hour by default, an ID token an hour (Okta, "Configure authorization server").
    tokenLifeMin: { id_token: [60, 60], access_token: [60, 60] },
    browserErrors: '"redirect_uri must be a Login redirect URI in the client app settings"',
    deviceGrant: true,
  },
  google: {
    name: 'google',
    title: 'Google',
    // A desktop client registers nothing of http://127.0.0.1:port (Google, "OAuth 2.0 for iOS & Desktop Apps").
    loopback: { host: '127.0.0.1', port: 'any', path: 'any' },
    publicSetting: 'create a client of the type "Desktop app"',
    // Google's documentation calls it optional; its users report that it is not (google_workspace_mcp, issue 1008).
    asksForSecret: true,
    offlineAccess: 'refused',
    parameters: { access_type: 'offline', prompt: 'consent' },
    resource: 'ignored',
    gatewayToken: { type: 'id_token', why: 'the ID token, because only Google can read its access tokens' },
    findUncheckable: () => ({ problem: 'those of Google are opaque', describeRemedy: describeIdTokenRemedy }),
    // "Using OAuth 2.0 to access Google APIs" (Google): expires_in 3599 or 3600; `exp` of an ID token is an hour after `iat`.
    tokenLifeMin: { id_token: [60, 60], access_token: [60, 60] },
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
    findUncheckable: ({ parameters }) =>
      parameters?.audience === undefined
        ? {
            problem: 'without the parameter audience those of Auth0 are opaque',
            describeRemedy: (setting) =>
              parameters
                ? 'set the authorization parameter audience to the identifier of the API'
                : `set ${setting} to id_token, or a default audience in the settings of the tenant`,
          }
        : undefined,
    // "Update ID token lifetime" (36000 s) and "Update access token lifetime" (86400 s) of Auth0's documentation.
    tokenLifeMin: { id_token: [600, 600], access_token: [1440, 1440] },
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
    // "Using tokens with user pools" (Amazon Cognito): both an hour by default.
    tokenLifeMin: { id_token: [60, 60], access_token: [60, 60] },
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
    findUncheckable: () => ({
      problem: 'those of Salesforce are opaque unless JWTs are switched on',
      describeRemedy: describeIdTokenRemedy,
    }),
    browserErrors: '"redirect_uri_mismatch" or "OAUTH_APP_BLOCKED"',
    deviceGrant: false,
  },
} as const satisfies Partial<Record<ProviderFamily['name'], ProviderFamily>>

/** Providers that organizations install themselves; they are recognized by a path. */
const installedFamilies = {
  keycloak: {
    name: 'keycloak',
    title: 'Keycloak',
    // The ports of http://localhost and http://127.0.0.1 are not compared (`RedirectUtils` in Keycloak's sources).
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
    // Keycloak, "Server administration guide", session and token timeouts: Access Token Lifespan, of both tokens, is 5 minutes.
    tokenLifeMin: { id_token: [5, 5], access_token: [5, 5] },
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
    // Microsoft Learn, `Set-AdfsRelyingPartyTrust`: TokenLifetime 0 is 60 minutes.
    tokenLifeMin: { id_token: [60, 60], access_token: [60, 60] },
    browserErrors: 'MSIS9224 (redirect URI) or MSIS9223 (client ID), in the details of the error',
    deviceGrant: true,
  },
} as const satisfies Partial<Record<ProviderFamily['name'], ProviderFamily>>

const entra = {
  title: 'Microsoft Entra ID',
  // "Redirect URI (reply URL) restrictions and limitations" (Microsoft Learn): the port of http://localhost is ignored, the path
  // is compared with upper and lower case, http://127.0.0.1 can be registered in the manifest only, [::1] cannot.
  loopback: { host: 'localhost', port: 'any', path: 'registered' },
  redirectSetting: 'in its app registration, under Authentication, on the platform "Mobile and desktop applications"',
  publicSetting: 'in its app registration, under Authentication, set "Allow public client flows" to Yes',
  offlineAccess: 'scope',
  // AADSTS901002: the parameter `resource` is not supported by the endpoints of version 2.0.
  resource: 'refused',
  audience: 'a scope of the API, such as api://…/access',
  gatewayToken: {
    type: 'either',
    why: 'the access token for a scope of an API of your own, as its audience is the gateway; the ID token is for the client itself',
  },
  findUncheckable: findGraphToken,
  // Microsoft Learn, "Configurable token lifetimes": a random value of 60 to 90 minutes for access tokens, an hour for ID tokens.
  tokenLifeMin: { id_token: [60, 60], access_token: [60, 90] },
  browserErrors:
    'a code such as AADSTS53003 (Conditional Access), AADSTS50011 (redirect URI), AADSTS700016 (client ID or tenant) or AADSTS90094 (consent of an administrator)',
  deviceGrant: true,
} as const satisfies Omit<ProviderFamily, 'name'>

/** Scopes of OpenID Connect and of Microsoft Graph bring a token for Microsoft Graph, which nobody else can verify. */
function findGraphToken({ scopes, issuer = '' }: AccessTokenSettings): UncheckableToken | undefined {
  if (issuer.startsWith('https://sts.')) return undefined
  const others = (scopes ?? '').split(/\s+/).filter((scope) => scope !== '' && !ofOpenId.has(scope))
  if (scopes === undefined || others.some((scope) => !isOfGraph(scope))) return undefined
  return {
    problem: 'with these scopes it is for Microsoft Graph',
    describeRemedy: (setting) =>
      `add a scope of an API of your own, such as api://…/access, or set ${setting} to id_token`,
  }
}

const ofOpenId: ReadonlySet<string> = new Set(['openid', 'profile', 'email', 'offline_access'])

/** A scope without the name of its API is one of Graph's. */
function isOfGraph(scope: string): boolean {
  return /^https:\/\/graph\.microsoft\./.test(scope) || !/[/:]/.test(scope)
}

function describeIdTokenRemedy(setting: string): string {
  return `set ${setting} to id_token`
}

/** Nothing is known, so the provider is assumed to compare everything (OpenID Connect Core, section 3.1.2.1: simple string comparison). */
const unknown = {
  title: 'the provider',
  loopback: { host: 'either', port: 'any', path: 'registered' },
  redirectSetting: 'in the registration of the client',
  publicSetting: 'in its registration, make it a public client (a native application with PKCE)',
  offlineAccess: 'scope',
  resource: 'unknown',
  gatewayToken: { type: 'either', why: 'the one whose audience and signature the gateway can check' },
  deviceGrant: true,
} as const satisfies Omit<ProviderFamily, 'name'>

/**
 * The known facts about each family, from the providers' published documentation. If it does not say, the stricter
 * rule stands here, because a sign-in that keeps it works in either case. docs/providers.md lists the rules that nobody has tried.
 */
export const providerFamilies: Readonly<Record<FamilyName, ProviderFamily>> = {
  entra: { name: 'entra', ...entra },
  // Azure AD B2C and Entra External ID have the same registrations; both need a scope of the API for an access token.
  'entra-external': { name: 'entra-external', ...entra, title: 'Microsoft Entra External ID', deviceGrant: false },
  ...hostedFamilies,
  ...installedFamilies,
  other: { name: 'other', ...unknown },
}
