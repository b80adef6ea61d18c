import type { Headers } from '../../contract/headers.ts'
import { findHeaderProblems, isReservedHeader } from '../../contract/headers.ts'
import { HelperError } from '../../runtime/failure.ts'

/** One `--header`: a name, and a value in which `{fact}` is replaced by a fact of the token. */
export interface HeaderTemplate {
  readonly name: string
  readonly value: string
}

/** Other braces are text, so that a header may contain JSON. */
const placeholder = /\{([a-z][a-z0-9_]*)\}/g

/**
 * Reads `Name: value` templates.
 * @throws {HelperError} `usage` with every problem, such as a header that cannot be sent.
 */
export function parseHeaderTemplates(
  program: string,
  texts: readonly string[],
  facts: readonly string[],
): HeaderTemplate[] {
  const templates = texts.map((text) => {
    const colon = text.indexOf(':')
    return { name: text.slice(0, Math.max(colon, 0)).trim(), value: text.slice(colon + 1).trim() }
  })
  const problems = texts.some((text) => !text.includes(':'))
    ? ['one of them has no colon']
    : findHeaderProblems(templates.map(({ name, value }) => [name, value]))
  for (const { name, value } of templates) {
    for (const [, fact] of value.matchAll(placeholder)) {
      if (!facts.includes(fact!))
        problems.push(
          `"${name}" asks for {${fact}}, but this helper knows ${facts.length === 0 ? 'no facts' : `only ${facts.map((f) => `{${f}}`).join(', ')}`}`,
        )
    }
  }
  if (problems.length === 0) return templates
  const hint = templates.some(({ name }) => isReservedHeader(name))
    ? 'leave out the headers that the client sends itself'
    : `write each header as 'Name: value'; see: ${program} --help`
  throw new HelperError('usage', `header: ${problems.join('; ')}`, hint)
}

/**
 * Fills in the facts of a token.
 * @throws {HelperError} `not-configured` when this token lacks a fact, or has one that cannot be sent.
 */
export function renderHeaders(templates: readonly HeaderTemplate[], facts: Readonly<Record<string, string>>): Headers {
  const entries = templates.map(({ name, value }) => {
    const filled = value.replaceAll(placeholder, (_, fact: string) => {
      const known = facts[fact]
      if (known === undefined)
        throw new HelperError(
          'not-configured',
          `header "${name}" asks for {${fact}}, which is not known of this token`,
          `write the value itself in place of {${fact}}`,
        )
      return known
    })
    return [name, filled] as const
  })
  const problems = findHeaderProblems(entries)
  if (problems.length > 0)
    throw new HelperError('not-configured', `header: ${problems.join('; ')}`, 'choose another fact for this header')
  return Object.fromEntries(entries)
}
