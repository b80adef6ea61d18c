import { findProblemsBy, type HeaderRules, type Headers } from '../../contract/headers.ts'
import { HelperError } from '../../runtime/failure.ts'
import { type HeaderTemplate, placeholder, renderNames } from './header-facts.ts'

/**
 * Fills in the facts of a token.
 * @throws {HelperError} `not-configured` when this token lacks a fact, or has one that cannot be sent.
 */
export function renderHeaders(
  templates: readonly HeaderTemplate[],
  facts: Readonly<Record<string, string>>,
  rules: HeaderRules,
): Headers {
  const entries = templates.map(({ name, value }) => {
    const filled = value.replaceAll(placeholder, (_, fact: string) => {
      if (!Object.hasOwn(facts, fact)) throw toMissing(name, fact, Object.keys(facts))
      return facts[fact]!
    })
    return [name, filled] as const
  })
  const problems = findProblemsBy(rules, entries)
  if (problems.length > 0)
    throw new HelperError('not-configured', `header: ${problems.join('; ')}`, 'choose another fact for this header')
  return Object.fromEntries(entries)
}

function toMissing(name: string, fact: string, known: readonly string[]): HelperError {
  const others = known.length === 0 ? 'no facts are known of it' : `known of it are ${renderNames(known)}`
  return new HelperError(
    'not-configured',
    `header "${name}" asks for {${fact}}, which is not known of this token; ${others}`,
    `write the value itself in place of {${fact}}`,
  )
}
