import { exportPKCS8, exportSPKI, generateKeyPair } from 'jose'

/** The password of the user that the script of the database makes. */
const admin = { username: 'admin', password: 'password' }

const user = { name: 'person', password: 'correct horse' }
const clientId = 'desktop'

/** A client with a secret, which gets tokens in its own name, asks whether they are active, and revokes them. */
const machine = { id: 'machine', secret: 'canary-of-machine' }

/** Sets up the provider by its own administrative API: the OpenID plugin, a scope, a public client, one with a secret, a user. */
export async function setUpGlewlwyd(url: string, redirectUri: string) {
  const cookie = await signIn(url)
  const post = async (path: string, body: object, method = 'POST') => {
    const response = await fetch(`${url}/api${path}`, {
      method,
      headers: { 'content-type': 'application/json', cookie },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`glewlwyd: ${method} ${path}: ${response.status} ${await response.text()}`)
  }
  const issuer = `${url}/api/oidc`
  await post('/mod/plugin/', {
    module: 'oidc',
    name: 'oidc',
    display_name: 'OpenID',
    parameters: await toPlugin(issuer),
  })
  await post('/scope/', {
    name: 'gateway',
    display_name: 'Gateway',
    description: 'Use the gateway',
    password_required: false,
    scheme: {},
  })
  await post('/user/', {
    username: user.name,
    password: user.password,
    name: 'Pat Example',
    scope: ['g_profile', 'openid', 'gateway'],
    enabled: true,
  })
  await post('/client/', {
    client_id: clientId,
    name: 'Desktop',
    confidential: false,
    enabled: true,
    scope: [],
    redirect_uri: [redirectUri],
    authorization_type: ['code', 'refresh_token', 'device_authorization', 'delete_token'],
    token_endpoint_auth_method: ['none'],
  })
  await post('/client/', {
    client_id: machine.id,
    password: machine.secret,
    name: 'Machine',
    confidential: true,
    enabled: true,
    scope: ['gateway'],
    redirect_uri: [],
    authorization_type: ['client_credentials'],
    token_endpoint_auth_method: ['client_secret_basic'],
  })
  return { issuer, clientId, user, machine }
}

async function signIn(url: string): Promise<string> {
  const response = await fetch(`${url}/api/auth/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(admin),
  })
  return response.headers
    .getSetCookie()
    .map((text) => text.split(';')[0])
    .join('; ')
}

async function toPlugin(iss: string): Promise<object> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  return {
    iss,
    'jwt-type': 'ecdsa',
    'jwt-key-size': '256',
    key: await exportPKCS8(privateKey),
    cert: await exportSPKI(publicKey),
    'access-token-duration': 3600,
    'refresh-token-duration': 86400,
    'code-duration': 600,
    'refresh-token-one-use': 'always',
    'refresh-token-rolling': true,
    'oauth-as-iss-id': true,
    'auth-type-code-enabled': true,
    'auth-type-code-revoke-replayed': true,
    'auth-type-device-enabled': true,
    'auth-type-refresh-enabled': true,
    'auth-type-token-enabled': false,
    'auth-type-password-enabled': false,
    'auth-type-client-enabled': true,
    'allow-non-oidc': true,
    'pkce-allowed': true,
    'pkce-method-plain-allowed': false,
    'pkce-required': true,
    'pkce-required-public-client': true,
    'jwks-show': true,
    'subject-type': 'public',
    'introspection-revocation-allowed': true,
    'introspection-revocation-allow-target-client': true,
    'device-authorization-expiration': 600,
    'device-authorization-interval': 1,
    'resource-allowed': true,
    'resource-scope': { gateway: ['https://gateway.example'] },
    'resource-scope-and-client-property': false,
    'resource-change-allowed': false,
    'allowed-scope': ['openid', 'gateway', 'offline_access'],
  }
}
