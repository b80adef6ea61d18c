import type { Headers } from '../../contract/headers.ts'
import { findHeaderProblems, isReservedHeader } from '../../contract/headers.ts'
import { HelperError } from '../../runtime/failure.ts'

/** One `--header`: a name, and a value in which `{fact}` is replaced by a fact of the token. */
export interface HeaderTemplate {
  readonly name: string
  readonly value: string
}

/**
 * A word in braces, followed by members of it: `.name`, or `[name]` for a name of other characters, such as a URL. Other braces
 * are text, so that a header may contain JSON.
 */
const placeholder = /\{([A-Za-z_]\w*(?:\.[\w-]+|\[[^\]{}]+\])*)\}/g

/** The end of a fact's name that stands for every member, such as the claims of a JWT in `claims.NAME`. */
const anyMember = '.NAME'

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
  for (const template of templates) {
    const unknown = listWanted([template]).filter((fact) => !isKnown(fact, facts))
    const known = facts.length === 0 ? 'no facts' : `only ${renderNames(facts)}`
    problems.push(...unknown.map((fact) => `"${template.name}" asks for {${fact}}, but this helper knows ${known}`))
  }
  if (problems.length === 0) return templates
  const hint = templates.some(({ name }) => isReservedHeader(name))
    ? 'leave out the headers that the client sends itself'
    : `write each header as 'Name: value'; see: ${program} --help`
  throw new HelperError('usage', `header: ${problems.join('; ')}`, hint)
}

/** The facts that templates ask for, each as it is written in the braces. */
export function listWanted(templates: readonly HeaderTemplate[]): string[] {
  return templates.flatMap(({ value }) => [...value.matchAll(placeholder)].map(([, fact]) => fact!))
}

function isKnown(fact: string, facts: readonly string[]): boolean {
  const root = /^\w+(?=[.[])/.exec(fact)?.[0]
  return facts.includes(root === undefined ? fact : `${root}${anyMember}`)
}

function renderNames(facts: readonly string[]): string {
  return facts.map((fact) => `{${fact}}`).join(', ')
}

/**
 * Fills in the facts of a token.
 * @throws {HelperError} `not-configured` when this token lacks a fact, or has one that cannot be sent.
 */
export function renderHeaders(templates: readonly HeaderTemplate[], facts: Readonly<Record<string, string>>): Headers {
  const entries = templates.map(({ name, value }) => {
    const filled = value.replaceAll(placeholder, (_, fact: string) => {
      if (!Object.hasOwn(facts, fact)) throw toMissing(name, fact, Object.keys(facts))
      return facts[fact]!
    })
    return [name, filled] as const
  })
  const problems = findHeaderProblems(entries)
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
