import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Grants } from './grants.ts'
import { type Endpoint, type KeyLies, type Lies, type Members, mergeMembers } from './lies.ts'
import { sendJson } from './send-answer.ts'
import type { SigningKeys } from './signing-keys.ts'

/** One request, and what is behind the provider. */
interface Asked {
  readonly issuer: string
  readonly keys: SigningKeys
  readonly grants: Grants
  readonly pushed: Map<string, URLSearchParams>
  readonly lies: Lies
  /** Whether a token was asked for. */
  readonly isRedeemed: boolean
  readonly parameters: URLSearchParams
  readonly response: ServerResponse
}

/** The answer of an endpoint, apart from the members that a lie changes. */
export const honestAnswers: Record<Endpoint, (asked: Asked) => void | Promise<void>> = {
  discovery: ({ issuer, lies, response }) => sendMembers(response, describe(issuer), lies.members?.discovery),
  keys: async ({ keys, lies, isRedeemed, response }) =>
    sendMembers(response, { ...(await keys.publish(toPublished(lies.keys, isRedeemed))) }, lies.members?.keys),
  push: ({ pushed, parameters, lies, response }) => {
    const name = `urn:ietf:params:oauth:request_uri:${randomUUID()}`
    pushed.set(name, parameters)
    sendJson(response, { status: 201, body: mergeMembers({ request_uri: name, expires_in: 60 }, lies.members?.push) })
  },
  authorize: ({ issuer, grants, pushed, parameters, lies, response }) => {
    const query = pushed.get(parameters.get('request_uri') ?? '') ?? parameters
    const members = { code: grants.grant(query), state: query.get('state'), iss: issuer }
    const back = new URLSearchParams(mergeMembers(members, lies.members?.authorize) as Record<string, string>) // texts
    const address = query.get('redirect_uri') ?? ''
    if (query.get('response_mode') === 'form_post') return sendForm(response, address, back)
    response.writeHead(302, { location: `${address}?${back}` }).end()
  },
  token: sendTokens('token'),
  refresh: sendTokens('refresh'),
  poll: sendTokens('poll'),
  device: ({ grants, parameters, lies, response }) =>
    sendMembers(response, grants.grantDevice(parameters), lies.members?.device),
  revoke: ({ response }) => void response.writeHead(200).end(),
}

function toPublished({ later, ...lies }: KeyLies = {}, isRedeemed: boolean): KeyLies {
  return isRedeemed && later ? { ...lies, published: later } : lies
}

function sendTokens(endpoint: Endpoint) {
  return async ({ grants, parameters, lies, response }: Asked): Promise<void> =>
    sendJson(response, await grants.issue(endpoint, parameters, lies))
}

function sendMembers(response: ServerResponse, members: Members, lie?: Members): void {
  sendJson(response, { body: mergeMembers(members, lie) })
}

/** Follows OpenID Connect Discovery 1.0, section 3. */
function describe(issuer: string): Members {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    device_authorization_endpoint: `${issuer}/device_authorization`,
    pushed_authorization_request_endpoint: `${issuer}/push`,
    revocation_endpoint: `${issuer}/revoke`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256', 'RS256'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    authorization_response_iss_parameter_supported: true,
  }
}

/** Follows OAuth 2.0 Form Post Response Mode. A browser sends such a form by a script; the person of a test by hand. */
function sendForm(response: ServerResponse, address: string, fields: URLSearchParams): void {
  const inputs = [...fields].map(([name, value]) => `<input type="hidden" name="${name}" value="${value}">`)
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
  response.end(`<form method="post" action="${address}">${inputs.join('')}</form>`)
}
