// Parses and expands the templates of `--header`, in which facts of a token stand in braces.

import { type HeaderRules, type Headers, validateHeaderSetBy } from '../../contract/headers.ts'
import { HelperError } from '../failure.ts'

/** One `--header`: a name, and a value in which `{fact}` is replaced by a fact of the token. */
export interface HeaderTemplate {
  readonly name: string
  readonly value: string
}

/**
 * A fact's name in braces, followed by members: `.name`, or `[name]` for a name with other characters, such as a URL. Any other braces are
 * text, so that a header may contain JSON.
 */
const placeholder = /\{([A-Za-z_]\w*(?:\.[\w-]+|\[[^\]{}]+\])*)\}/g

/** The end of a fact's name that stands for every member, such as the claims of a JWT in `claims.NAME`. */
const anyMember = '.NAME'

/** The beginning of the name of a fact of the second token. */
export const secondPrefix = 'second.'

/** Splits one `Name: value`, without a check. */
export function toHeaderTemplate(text: string): HeaderTemplate {
  const colon = text.indexOf(':')
  return { name: text.slice(0, Math.max(colon, 0)).trim(), value: text.slice(colon + 1).trim() }
}

/** Splits the facts in templates by token, each as written between the braces; those of the second token without their prefix. */
export function splitWanted(templates: readonly HeaderTemplate[]): { first: string[]; second: string[] } {
  const all = templates.flatMap(({ value }) => [...value.matchAll(placeholder)].map(([, fact]) => fact!))
  const isOfSecond = (fact: string) => fact.startsWith(secondPrefix)
  return {
    first: all.filter((fact) => !isOfSecond(fact)),
    second: all.filter(isOfSecond).map((fact) => fact.slice(secondPrefix.length)),
  }
}

/** Validates that the facts for which a template asks are known, and gives the problems as sentences. */
export function validateFacts(
  { name }: HeaderTemplate,
  wanted: readonly string[],
  facts: readonly string[],
  whose = 'this helper',
): string[] {
  const known = facts.length === 0 ? 'no facts' : `only ${renderNames(facts)}`
  return wanted
    .filter((fact) => !isKnown(fact, facts))
    .map((fact) => `"${name}" asks for {${fact}}, but ${whose} knows ${known}`)
}

function isKnown(fact: string, facts: readonly string[]): boolean {
  return facts.some((known) =>
    known.endsWith(anyMember) ? isMember(fact, known.slice(0, -anyMember.length)) : known === fact,
  )
}

function isMember(fact: string, root: string): boolean {
  return fact.startsWith(`${root}.`) || fact.startsWith(`${root}[`)
}

/** Renders the names of facts as in a header. */
function renderNames(facts: readonly string[]): string {
  return facts.map((fact) => `{${fact}}`).join(', ')
}

/**
 * Renders the headers with the facts of a token.
 * @throws {HelperError} `not-configured` if this token lacks a fact, or has one that cannot be sent.
 */
export function expandHeaders(
  templates: readonly HeaderTemplate[],
  facts: Readonly<Record<string, string>>,
  rules: HeaderRules,
): Headers {
  const entries = templates.map((template) => [template.name, renderTemplate(template, facts)] as const)
  const problems = validateHeaderSetBy(rules, entries)
  if (problems.length > 0)
    throw new HelperError('not-configured', `header: ${problems.join('; ')}`, 'choose another fact for this header')
  return Object.fromEntries(entries)
}

/**
 * Renders one template, without validating the result.
 * @throws {HelperError} `not-configured` for a missing fact.
 */
export function renderTemplate({ name, value }: HeaderTemplate, facts: Readonly<Record<string, string>>): string {
  return value.replaceAll(placeholder, (_, fact: string) => {
    if (!Object.hasOwn(facts, fact)) throw toMissing(name, fact, Object.keys(facts))
    return facts[fact]!
  })
}

function toMissing(name: string, fact: string, known: readonly string[]): HelperError {
  const others = known.length === 0 ? 'no facts are known of it' : `known of it are ${renderNames(known)}`
  return new HelperError(
    'not-configured',
    `header "${name}" asks for {${fact}}, which is not known of this token; ${others}`,
    `write the value itself in place of {${fact}}`,
  )
}
