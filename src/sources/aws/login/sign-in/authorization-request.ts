import { createHash, randomBytes, randomUUID } from 'node:crypto'

/** What the console sign-in calls the two kinds of client: the browser is on this machine, or on another one. */
export const clientIds = {
  'same-device': 'arn:aws:signin:::devtools/same-device',
  'cross-device': 'arn:aws:signin:::devtools/cross-device',
} as const

/** One request for an authorization code (RFC 7636), and what its answer is checked and redeemed with. */
export interface AuthorizationRequest {
  readonly clientId: string
  readonly redirectUri: string
  readonly state: string
  readonly codeVerifier: string
}

/** A new request, with a state and a code verifier of its own. */
export function createAuthorizationRequest(device: keyof typeof clientIds, redirectUri: string): AuthorizationRequest {
  return {
    clientId: clientIds[device],
    redirectUri,
    state: randomUUID(),
    codeVerifier: randomBytes(48).toString('base64url'),
  }
}

/** The address that a person opens. AWS calls the method `SHA-256`, which RFC 7636 calls `S256`. */
export function renderAuthorizationAddress(origin: string, request: AuthorizationRequest): string {
  const address = new URL('/v1/authorize', origin)
  const parameters = {
    response_type: 'code',
    client_id: request.clientId,
    state: request.state,
    code_challenge_method: 'SHA-256',
    scope: 'openid',
    redirect_uri: request.redirectUri,
    code_challenge: createHash('sha256').update(request.codeVerifier).digest('base64url'),
  }
  address.search = new URLSearchParams(parameters).toString()
  return address.href
}

/** Where AWS shows the code to a person whose browser is on another machine. */
export function renderConfirmationAddress(origin: string): string {
  return new URL('/v1/sessions/confirmation', origin).href
}

/** The code in what the person pastes, base64 of `state=…&code=…`; `undefined` where it is for another request or none. */
export function parsePastedCode(pasted: string, { state }: AuthorizationRequest): string | undefined {
  const answer = new URLSearchParams(Buffer.from(pasted.trim(), 'base64').toString())
  const code = answer.get('code')
  return code !== null && code !== '' && answer.get('state') === state ? code : undefined
}
