import type { Explanation } from '../../../explanation.ts'
import type { GatewayAnswer } from '../../../turn/turn.ts'
import { findOwnPage } from './own-page.ts'
import { listOtherCredentials } from './token-causes.ts'

/** Explains a 400 with which a server itself refuses the form of a request, before anybody looks at the token; `undefined` for any other. */
export function explainBadRequest(
  { status, text }: Pick<GatewayAnswer, 'status' | 'text'>,
  headerNames: readonly string[],
): Explanation | undefined {
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
    cause: `${server} itself refuses the form of the request, before anybody has looked at the token, and says no more`,
    hint:
      others.length > 0
        ? `remove ${others.join(' and ')} from customHeaders and from the helper: a second credential, or one header twice, is refused in this way`
        : `ask the gateway's operators what the log of ${server} says of it, such as a header that a proxy in between adds a second time`,
  }
}

/** What bounds them. */
const sizes: Readonly<Record<string, string>> = {
  nginx: 'large_client_header_buffers',
  Apache: 'LimitRequestFieldSize',
}
