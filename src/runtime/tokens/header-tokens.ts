import type { Headers } from '../../contract/headers.ts'
import { parseTokenFacts, type TokenFacts } from './token-facts.ts'

/** A header that carries a token. */
export interface HeaderToken {
  readonly name: string
  readonly facts: TokenFacts
}

/** The headers whose value is a token that states its expiry, alone or after a scheme such as `Bearer`; pure. */
export function listHeaderTokens(headers: Headers): HeaderToken[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    const facts = parseTokenFacts(value.replace(/^[A-Za-z][\w-]* (?=\S+$)/, ''), {})
    return facts.end ? [{ name, facts }] : []
  })
}
