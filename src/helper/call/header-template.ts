import { findHeaderProblems, isReservedHeader } from '../../contract/client-headers.ts'
import { type AllowableHeader, allowableHeaders } from '../../contract/headers.ts'
import { HelperError } from '../../runtime/failure.ts'
import { findUnknownFacts, type HeaderTemplate, listWanted, secondPrefix, toHeaderTemplate } from './header-facts.ts'

/** What beside the facts of a helper decides which templates it takes. */
interface TemplateRules {
  readonly allowed?: AllowableHeader | undefined
  /** Whether a second helper is named; its own part of the run knows its facts. */
  readonly hasSecond?: boolean
}

/**
 * Reads `Name: value` templates.
 * @throws {HelperError} `usage` with every problem, such as a header that cannot be sent.
 */
export function parseHeaderTemplates(
  program: string,
  texts: readonly string[],
  facts: readonly string[],
  { allowed, hasSecond = false }: TemplateRules = {},
): HeaderTemplate[] {
  const templates = texts.map(toHeaderTemplate)
  const problems = texts.some((text) => !text.includes(':'))
    ? ['one of them has no colon']
    : findHeaderProblems(
        templates.map(({ name, value }) => [name, value]),
        allowed,
      )
  for (const template of templates) {
    const { first, second } = listWanted([template])
    problems.push(...findUnknownFacts(template, first, facts))
    if (!hasSecond)
      problems.push(
        ...second.map(
          (fact) =>
            `"${template.name}" asks for {${secondPrefix}${fact}}, and neither second-helper nor second-command is set`,
        ),
      )
  }
  if (problems.length === 0) return templates
  throw new HelperError('usage', `header: ${problems.join('; ')}`, chooseHint(program, templates, allowed))
}

function chooseHint(program: string, templates: readonly HeaderTemplate[], allowed?: AllowableHeader): string {
  const refused = templates.map(({ name }) => name.toLowerCase()).filter((name) => isReservedHeader(name, allowed))
  const allowable = allowableHeaders.find((name) => refused.every((other) => other === name))
  if (refused.length > 0 && allowable)
    return `leave out the header, or where a gateway reads its own credential there, set allow-header to ${allowable}`
  return refused.length > 0
    ? 'leave out the headers that the client sends itself'
    : `write each header as 'Name: value'; see: ${program} --help`
}
