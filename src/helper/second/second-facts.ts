import { HelperError } from '../../runtime/failure.ts'
import { findUnknownFacts, type HeaderTemplate, listWanted, secondPrefix } from '../call/header-facts.ts'
import type { ServedCall } from '../call/serve-call.ts'
import type { SecondHelper } from './find-second.ts'

/** The name under which a header asks for the second token itself, behind the prefix. */
export const tokenFact = 'token'

/**
 * @throws {HelperError} `usage` where a header asks for what the second helper does not know, or none asks for anything of it:
 * then its token would be obtained in vain.
 */
export function requireSecondFacts(
  templates: readonly HeaderTemplate[],
  program: string,
  { name, helper }: SecondHelper,
): void {
  const facts = [tokenFact, ...helper.facts].map((fact) => `${secondPrefix}${fact}`)
  const problems = templates.flatMap((template) => {
    const wanted = listWanted([template]).second.map((fact) => `${secondPrefix}${fact}`)
    return findUnknownFacts(template, wanted, facts, `the second helper, ${name},`)
  })
  if (problems.length > 0)
    throw new HelperError('usage', `header: ${problems.join('; ')}`, `see what it knows: ${name} --help`)
  if (listWanted(templates).second.length === 0)
    throw new HelperError(
      'usage',
      `a second token is asked of ${name}, and no header uses it`,
      `add the header that the gateway reads, such as --header 'X-Second: {${secondPrefix}${tokenFact}}'; see: ${program} --help`,
    )
}

/** Values for header templates: the facts of the first token, and with their prefix those of the second and the token itself. */
export function joinFacts(first: ServedCall, { served }: ServedCall): Record<string, string> {
  const second = Object.entries({ ...served.facts, [tokenFact]: served.token.reveal() })
  return {
    ...first.served.facts,
    ...Object.fromEntries(second.map(([fact, value]) => [`${secondPrefix}${fact}`, value])),
  }
}
