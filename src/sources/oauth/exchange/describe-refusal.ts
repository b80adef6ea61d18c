import { toSafeCode, toSafeText } from '../../../api/safe-text.ts'
import { grantTypes } from '../../../contract/oauth-names.ts'
import { clockHint, HelperError } from '../../../runtime/failure.ts'
import {
  isBusyStatus,
  isRedirectStatus,
  toBusyFailure,
  toRedirectFailure,
} from '../../../runtime/network/network-failure.ts'
import { quoteForeign } from '../../../runtime/text/quote.ts'
import { parseObject } from '../../../runtime/values/json-value.ts'
import { collectSecrets, type GrantRequest } from './encode-request.ts'

/** The failure of a request that a token endpoint refused. */
export class GrantRefusal extends HelperError {
  /** Whether another token of the same person may be accepted instead of the token that was sent. */
  readonly isTokenRefused: boolean

  constructor(isTokenRefused: boolean, message: string, hint: string) {
    super('refused', message, hint)
    this.name = 'GrantRefusal'
    this.isTokenRefused = isTokenRefused
  }
}

interface FailedAnswer {
  readonly status: number
  readonly text: string
  /** See `describeSkew`. */
  readonly skew: string | undefined
}

/** Describes a refusal or an unusable answer. The server's code and description are repeated, without secrets. */
export function describeRefusal(answer: FailedAnswer, request: GrantRequest): HelperError {
  const { status, skew } = answer
  const { host } = request.endpoint.url
  const problem = parseProblem(answer, request)
  const code = `HTTP ${status}${problem.code === undefined ? '' : ` ${problem.code}`}`
  if (isRedirectStatus(status))
    return toRedirectFailure(
      `${host} answered the token exchange`,
      code,
      `set ${request.endpoint.setting} to the address that it redirects to, if that is right`,
    )
  if (isBusyStatus(status)) return toBusyFailure(host, code)
  const said = problem.description === undefined ? '' : `: ${problem.description}`
  const message = `${host} did not exchange ${request.token} (${code})${said}`
  const isTokenRefused = request.origin === 'sign-in' && isAboutToken(problem.code, request)
  if (skew !== undefined) return new GrantRefusal(isTokenRefused, `${message}; ${skew}`, clockHint)
  return new GrantRefusal(isTokenRefused, message, chooseHint(problem.code, request))
}

function parseProblem({ text }: FailedAnswer, request: GrantRequest) {
  const { error, error_description: description } = parseObject(text) ?? {}
  const secrets = collectSecrets(request)
  const safe = typeof description === 'string' ? toSafeText(description, secrets) : ''
  return { code: toSafeCode(error, secrets), description: safe === '' ? undefined : safe }
}

const personHint =
  'sign out, then sign in again with what the server asks for, such as authorization-parameter max_age=0 or acr_values=NAME'

/** The hints by error code: RFC 6749, section 5.2; RFC 8693, section 2.2.2; RFC 9470; OpenID Connect Core, section 3.1.2.6. */
const hints: Readonly<Record<string, string | ((request: GrantRequest) => string)>> = {
  invalid_client: ({ client, endpoint }) =>
    client.secret === undefined
      ? `check ${describeClientOption(client.id)}; if ${endpoint.url.host} gave the client a secret, set exchange-secret-file or exchange-secret-variable`
      : `check ${describeClientOption(client.id)} and the secret, and whether the server wants it as exchange-client-auth basic or post`,
  unauthorized_client: ({ client, endpoint, parameters }) =>
    `have ${endpoint.url.host} permit the client ${nameClient(client.id)} the grant type ${toGrantType({ parameters })}`,
  unsupported_grant_type: ({ endpoint, parameters }) =>
    `enable the grant type ${toGrantType({ parameters })} at ${endpoint.url.host}, or set exchange to another form`,
  invalid_target: 'correct exchange-audience and exchange-resource, or have the server know them',
  invalid_scope: 'correct exchange-scope',
  invalid_request:
    "check every exchange option against what the server documents; many also answer so if they do not accept the person's token",
  access_denied: 'ask whoever administers the server to permit this exchange for the client and the person',
  insufficient_user_authentication: personHint,
  interaction_required: personHint,
  login_required: personHint,
  consent_required: 'have the person, or an administrator for everybody, consent to what exchange-scope asks for',
}

/**
 * Returns whether a refusal concerns the token. RFC 6749, section 5.2, uses `invalid_grant`, RFC 8693, section 2.2.2, `invalid_request`;
 * some servers use `invalid_token` of RFC 6750.
 */
function isAboutToken(code: string | undefined, request: GrantRequest): boolean {
  if (code === 'invalid_request') return toGrantType(request) === grantTypes.tokenExchange
  return code === 'invalid_grant' || code === 'invalid_token'
}

function chooseHint(code: string | undefined, request: GrantRequest): string {
  if (code === undefined) return `check that ${request.endpoint.setting} leads to a token endpoint`
  const hint = Object.hasOwn(hints, code) ? hints[code] : undefined
  if (typeof hint === 'string') return hint
  return (hint ?? describeTokenHint)(request)
}

function describeTokenHint({ origin, endpoint: { url }, client }: GrantRequest): string {
  return origin === 'exchange'
    ? `have ${url.host} trust ID-JAGs of this provider for the client ${nameClient(client.id)}`
    : `have ${url.host} accept tokens of this issuer and client; if the session was ended at the provider, sign out and in again`
}

function describeClientOption(id: string | undefined): string {
  return id === undefined ? 'exchange-client-id, which is not set' : `the client ID ${nameClient(id)}`
}

function toGrantType({ parameters }: Pick<GrantRequest, 'parameters'>): string {
  return String(parameters.find(([name]) => name === 'grant_type')?.[1])
}

function nameClient(text: string | undefined): string {
  return text === undefined ? 'that names itself with no exchange-client-id' : quoteForeign(text)
}
