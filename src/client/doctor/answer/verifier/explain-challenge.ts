import { toOneLine } from '../../../../runtime/failure.ts'
import type { Explanation } from '../../../explanation.ts'
import type { GatewayAnswer } from '../../../turn/turn.ts'
import { parseChallenge } from './parse-verifier-refusal.ts'
import type { StatedToken } from './stated-token.ts'

/**
 * Explains the refusal of a gateway that verifies tokens by itself and gives no reason of ours: a challenge (RFC 6750, section 3.1) or
 * a bare page; `undefined` for any other.
 */
export function explainChallenge(answer: GatewayAnswer, stated: StatedToken): Explanation | undefined {
  const page = findOwnPage(answer)
  if (page !== undefined) return explainPage(page, answer.status, stated)
  const { error, scope } = parseChallenge(answer.headers) ?? {}
  if (error !== 'insufficient_scope') return undefined
  const wanted = scope === undefined ? '' : `; it asks for the scope ${toOneLine(JSON.stringify(scope.slice(0, 200)))}`
  return {
    outcome: 'bad',
    cause: `the gateway takes the token for genuine, and a claim or a scope that it requires is not in it${wanted}`,
    hint:
      scope === undefined
        ? `ask the gateway's operators which claims they require of tokens${describeOwn(stated)}`
        : 'ask for that scope: scopes, in the helper or the document',
  }
}

/** Servers that answer with a page of their own where nobody has given them another one, by its heading and its end. */
const servers: readonly (readonly [name: string, mark: RegExp])[] = [
  ['nginx', /<center>(?:nginx|openresty)\b/i],
  [
    'Apache',
    /<address>Apache\b|<p>(?:This server could not verify|You don't have permission to access this resource)/i,
  ],
  [
    'HAProxy',
    /<h1>(?:401 Unauthorized|403 Forbidden)<\/h1>\s*(?:You need a valid|Request forbidden by administrative rules)/i,
  ],
]

/** The server whose own page of a 401 or 403 an answer is. */
function findOwnPage({ status, text }: GatewayAnswer): string | undefined {
  if (status !== 401 && status !== 403) return undefined
  return servers.find(([, mark]) => mark.test(text.slice(0, 4096)))?.[0]
}

function explainPage(server: string, status: number, stated: StatedToken): Explanation {
  const what = status === 401 ? 'does not accept the token' : 'does not let the request pass'
  return {
    outcome: 'bad',
    cause: `${server} itself ${what}, and says no more`,
    hint: `give the gateway's operators the time of the request: the log of ${server}, or of its verifier, has the reason${describeOwn(stated)}`,
  }
}

function describeOwn({ issuer, audience }: StatedToken): string {
  const own = [
    ...(audience === undefined ? [] : [`for ${audience}`]),
    ...(issuer === undefined ? [] : [`of ${issuer}`]),
  ]
  return own.length === 0 ? '' : `; this one is ${own.join(', ')}`
}
