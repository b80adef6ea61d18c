import type { GatewayOutcome } from './outcome.ts'
import type { ClientRequest } from './send.ts'
import type { Stage } from './stage.ts'

/** The stage and the gateway with which a scenario is played. */
interface Play {
  readonly stage: Stage
  /** The gateway's address. */
  readonly url: string
  /** Sends a request with these credentials, and gives the whole outcome. */
  send(request: ClientRequest): Promise<GatewayOutcome>
}

/** A request that every gateway has to treat alike. */
export interface Scenario {
  readonly title: string
  /** Gives the outcome of the last request. */
  play(play: Play): Promise<GatewayOutcome>
  readonly expected: GatewayOutcome
}

/** Returns a token as clients send it. */
export function bearer(token: string): readonly [string, string] {
  return ['Authorization', `Bearer ${token}`]
}

/** Returns the outcome of a usual request that reaches the model. */
export function passes(identity: readonly string[], more: Partial<GatewayOutcome['arrived'][0]> = {}): GatewayOutcome {
  return { status: 200, arrived: [{ line: 'POST /v1/messages', identity, credentials: [], bytes: 13, ...more }] }
}

/** Returns a refusal after which another token may help. */
export function unauthorized(reason: string, challenge = 'Bearer invalid_token'): GatewayOutcome {
  return { status: 401, error: { type: 'authentication_error', reason }, challenge, arrived: [] }
}

/** Returns a refusal after which no token of this caller will help. */
export function forbidden(reason: string): GatewayOutcome {
  return {
    status: 403,
    error: { type: 'permission_error', reason },
    challenge: 'Bearer insufficient_scope',
    arrived: [],
  }
}

/** Returns a refusal with what `gatepass doctor` says of it. */
export function told(refusal: GatewayOutcome, cause: string, hint: string): GatewayOutcome {
  return { ...refusal, told: { cause, hint } }
}

/** Returns a refusal because nobody can tell now. */
export function unavailable(reason: string): GatewayOutcome {
  return { status: 503, error: { type: 'api_error', reason }, arrived: [] }
}
