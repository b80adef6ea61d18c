import { exportJWK, generateKeyPair } from 'jose'
import { type Context, errors } from 'oidc-provider'
import { renderPage } from '../aws/pages/page-answer.ts'
import type { CompleteSettings } from './settings.ts'
import { tokenExchangeGrant } from './token-exchange.ts'

/** The names of the endpoints in tests, and their paths. */
export const endpoints = {
  discovery: '/.well-known/openid-configuration',
  authorization: '/authorize',
  token: '/token',
  keys: '/keys',
  'pushed request': '/par',
  'device authorization': '/device-authorization',
  device: '/device',
  revocation: '/revoke',
  userinfo: '/userinfo',
} as const

/** Returns the settings of a test in the words of `oidc-provider`. */
export async function toConfiguration(settings: CompleteSettings): Promise<object> {
  const { lifeSec } = settings
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  return {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'ES256', use: 'sig', kid: 'first' }] },
    clients: [toClient(settings)],
    cookies: { keys: ['canary-of-cookies'] },
    clockTolerance: 0,
    conformIdTokenClaims: false, // the claims of a scope stand in the ID token, as with most providers
    claims: { openid: ['sub'], profile: ['name'], email: ['email'] },
    scopes: ['openid', 'offline_access', ...Object.values(settings.resources).flatMap((scope) => scope.split(' '))],
    routes: {
      authorization: endpoints.authorization,
      token: endpoints.token,
      jwks: endpoints.keys,
      device_authorization: endpoints['device authorization'],
      code_verification: endpoints.device,
      pushed_authorization_request: endpoints['pushed request'],
      revocation: endpoints.revocation,
      userinfo: endpoints.userinfo,
    },
    ttl: {
      AccessToken: lifeSec.accessToken,
      IdToken: lifeSec.idToken,
      RefreshToken: lifeSec.refreshToken,
      AuthorizationCode: lifeSec.code,
      DeviceCode: lifeSec.deviceCode,
      Grant: 86_400,
      Interaction: 3600,
      Session: 86_400,
    },
    pkce: { required: () => true },
    rotateRefreshToken: settings.rotatesRefreshTokens,
    issueRefreshToken: (_: Context, __: object, { scopes }: { scopes: Set<string> }) =>
      settings.refreshTokens === 'always' || (settings.refreshTokens !== 'never' && scopes.has('offline_access')),
    expiresWithSession: () => false,
    extraParams: { offline: (context: Context) => settings.refreshTokens === 'scope' && keepOfflineAccess(context) },
    findAccount: (_: Context, sub: string) => ({
      accountId: sub,
      claims: () => ({ sub, name: sub, email: `${sub}@example.com` }),
    }),
    interactions: { url: (_: Context, { uid }: { uid: string }) => `/sign-in/${uid}` },
    renderError: (context: Context, { error, error_description: text }: Record<string, string>) =>
      showPage(context, 'The provider cannot go on', `<p id="error">${error}: ${text}</p>`),
    features: toFeatures(settings),
  }
}

function toClient({ clientId, clientSecret, redirectUris, applicationType, exchange }: CompleteSettings): object {
  return {
    client_id: clientId,
    application_type: applicationType,
    token_endpoint_auth_method: clientSecret ? `client_secret_${clientSecret.sent}` : 'none',
    ...(clientSecret && { client_secret: clientSecret.value }),
    grant_types: [
      ...['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      ...(exchange ? [tokenExchangeGrant] : []),
    ],
    response_types: ['code'],
    redirect_uris: redirectUris,
    id_token_signed_response_alg: 'ES256',
  }
}

function toFeatures({
  pushedRequests,
  deviceGrant,
  resources,
  defaultResource,
  audience,
  lifeSec,
}: CompleteSettings): object {
  return {
    devInteractions: { enabled: false },
    revocation: { enabled: true },
    rpInitiatedLogout: { enabled: false },
    pushedAuthorizationRequests: {
      enabled: pushedRequests !== 'none',
      requirePushedAuthorizationRequests: pushedRequests === 'required',
    },
    deviceFlow: {
      enabled: deviceGrant,
      userCodeInputSource: (context: Context, form: string, _: object, error?: Error) =>
        showPage(context, 'Enter the code', `<p id="error">${error?.message ?? ''}</p>${form}${button('inputForm')}`),
      userCodeConfirmSource: (context: Context, form: string, _: object, __: object, code: string) =>
        showPage(context, 'Is this your code?', `<p id="code">${code}</p>${form}${button('confirmForm')}`),
      successSource: (context: Context) => showPage(context, 'The device is signed in', ''),
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: (_: Context, __: object, asked?: readonly string[]) => asked ?? defaultResource,
      // Otherwise a sign-in with `openid` gets a token for the user info alone.
      useGrantedResource: () => defaultResource !== undefined,
      getResourceServerInfo: (_: Context, resource: string) => {
        const scope = resources[resource]
        if (scope === undefined) throw new errors.InvalidTarget()
        const jwt = { sign: { alg: 'ES256' } }
        return {
          scope,
          audience: audience ?? resource,
          accessTokenFormat: 'jwt',
          accessTokenTTL: lifeSec.accessToken,
          jwt,
        }
      },
    },
  }
}

const button = (form: string) =>
  `<button id="continue" form="op.device${form[0]?.toUpperCase()}${form.slice(1)}">go on</button>`

export function showPage(context: Context, title: string, body: string): void {
  context.type = 'html'
  context.res.setHeader('Cache-Control', 'no-store')
  context.body = renderPage(title, body).html
}

/** Most providers give a refresh token for the scope alone; `oidc-provider` drops the scope unless `prompt` is `consent`. */
function keepOfflineAccess({ oidc, query }: Context): void {
  const asked = oidc?.body?.scope ?? query.scope
  if (!oidc?.params || !String(asked).split(' ').includes('offline_access')) return
  oidc.params.prompt = 'consent'
  if (!oidc.params.scope?.includes('offline_access')) oidc.params.scope += ' offline_access'
}
