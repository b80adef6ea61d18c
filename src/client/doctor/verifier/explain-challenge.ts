import { toOneLine } from '../../../runtime/failure.ts'
import { programName } from '../../../version.ts'
import type { PartExplanation } from '../../examination.ts'
import type { GatewayAnswer } from '../../session/turn.ts'
import { parseChallenge, searchedCharacters } from './parse-verifier-refusal.ts'
import type { StatedToken } from './stated-token.ts'
import { listOtherCredentials } from './token-causes.ts'

/**
 * Explains the refusal of a gateway that verifies tokens without our verifier, by its challenge (RFC 6750, section 3.1) or its own page;
 * `undefined` for any other answer.
 */
export function explainChallenge(answer: GatewayAnswer, stated: StatedToken): PartExplanation | undefined {
  const page = answer.status === 401 || answer.status === 403 ? findOwnPage(answer.text) : undefined
  if (page !== undefined) return explainPage(page, answer.status, stated)
  const { error, scope } = parseChallenge(answer.headers) ?? {}
  if (error !== 'insufficient_scope') return undefined
  const wanted = scope === undefined ? '' : `; it asks for the scope ${toOneLine(JSON.stringify(scope.slice(0, 200)))}`
  return {
    outcome: 'bad',
    cause: `the gateway accepts the token as genuine, but a claim or scope that it requires is missing${wanted}`,
    hint:
      scope === undefined
        ? `ask the gateway's operators which claims they require of tokens${describeStatedToken(stated)}`
        : 'ask for that scope: scopes, in the helper or the document',
  }
}

function explainPage(server: string, status: number, stated: StatedToken): PartExplanation {
  const what = status === 401 ? 'does not accept the token' : 'does not let the request pass'
  return {
    outcome: 'bad',
    cause: `${server} itself ${what}, and gives no reason`,
    hint: `give the gateway's operators the time of the request: the log of ${server}, or of its verifier, has the reason${describeStatedToken(stated)}`,
  }
}

/**
 * Explains a 401 to a token that was sent correctly, if the gateway says only that it is invalid or missing (RFC 6750, section 3.1), as
 * `mod_auth_openidc` always does; `undefined` for any other answer.
 */
export function explainInvalid(
  { headers }: Pick<GatewayAnswer, 'headers'>,
  stated: StatedToken,
  headerNames: readonly string[],
): PartExplanation | undefined {
  const cause = invalidCauses.get(parseChallenge(headers)?.error ?? '')
  if (cause === undefined) return undefined
  const others = listOtherCredentials(headerNames)
  if (others.length > 0)
    return {
      outcome: 'bad',
      cause,
      hint: `remove ${others.join(' and ')} from customHeaders and from the helper: the gateway may have read that instead`,
    }
  if (cause === notFound)
    return {
      outcome: 'bad',
      cause,
      hint: "ask the gateway's operators from which header they take the token, and whether a proxy in between removes or adds one",
    }
  if (stated.kind !== 'jwt')
    return {
      outcome: 'bad',
      cause: `${cause}; it is ${stated.title}, and many gateways take JWTs only`,
      hint: `ask the gateway's operators which kind they take, and choose a helper for that: ${programName} choose`,
    }
  return {
    outcome: 'bad',
    cause,
    hint: `ask the gateway's operators which audience and issuer a token must have${describeStatedToken(stated)}; then see which check fails: ${programName} verify --issuer URL --audience NAME -- followed by the helper's command`,
  }
}

const notFound = 'the gateway finds no token in the request, or more than one'

const invalidCauses: ReadonlyMap<string, string> = new Map([
  ['invalid_token', 'the gateway says that the token is not valid, but not why'],
  ['invalid_request', notFound],
])

export function describeStatedToken({ issuer, audience }: StatedToken): string {
  const facts = [
    ...(audience === undefined ? [] : [`for ${audience}`]),
    ...(issuer === undefined ? [] : [`of ${issuer}`]),
  ]
  return facts.length === 0 ? '' : `; this one is ${facts.join(', ')}`
}

/** Explains a 400 with which a server refuses the form of a request before any token check; `undefined` for any other answer. */
export function explainBadRequest(
  { status, text }: Pick<GatewayAnswer, 'status' | 'text'>,
  headerNames: readonly string[],
): PartExplanation | undefined {
  const server = status === 400 ? findOwnPage(text) : undefined
  if (server === undefined) return undefined
  if (/Header Or Cookie Too Large|header field exceeds/i.test(text))
    return {
      outcome: 'bad',
      cause: `the headers of the request, with the token, are larger than ${server} takes`,
      hint: `have the gateway's operators allow larger ones: ${sizes[server]}`,
    }
  const others = listOtherCredentials(headerNames)
  return {
    outcome: 'bad',
    cause: `${server} itself refuses the form of the request, before anybody has looked at the token, and gives no reason`,
    hint:
      others.length > 0
        ? `remove ${others.join(' and ')} from customHeaders and from the helper: a second credential, or one header twice, is refused in this way`
        : `ask the gateway's operators what the log of ${server} says of it, such as a header that a proxy in between adds a second time`,
  }
}

/** The directives that set these limits. */
const sizes: Readonly<Record<string, string>> = {
  nginx: 'large_client_header_buffers',
  Apache: 'LimitRequestFieldSize',
}

/** Servers with a default error page, recognized by its heading and its end. */
const servers: readonly (readonly [name: string, mark: RegExp])[] = [
  ['nginx', /<center>(?:nginx|openresty)\b/i],
  [
    'Apache',
    /<address>Apache\b|<p>(?:This server could not verify|You don't have permission to access this resource|Your browser sent a request that this server could not understand)/i,
  ],
  [
    'HAProxy',
    /<h1>4\d\d [a-z]+ ?[a-z]*<\/h1>\s*(?:You need a valid|Request forbidden by administrative rules|Your browser sent an invalid request)/i,
  ],
]

/** Finds the server that wrote the page of an answer. */
function findOwnPage(text: string): string | undefined {
  return servers.find(([, mark]) => mark.test(text.slice(0, searchedCharacters)))?.[0]
}
