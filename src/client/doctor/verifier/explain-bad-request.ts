import type { PartExplanation } from '../../examination.ts'
import type { GatewayAnswer } from '../../session/turn.ts'
import { listOtherCredentials } from './token-causes.ts'

/**
 * Explains a 400 with which a server itself refuses the form of a request, before anything looks at the token; `undefined` for
 * any other answer.
 */
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

/** The directives that bound them. */
const sizes: Readonly<Record<string, string>> = {
  nginx: 'large_client_header_buffers',
  Apache: 'LimitRequestFieldSize',
}

/** Servers that answer with a page of their own unless another one is configured, recognized by its heading and its end. */
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
export function findOwnPage(text: string): string | undefined {
  return servers.find(([, mark]) => mark.test(text.slice(0, 4096)))?.[0]
}
