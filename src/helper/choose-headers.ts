import { isReservedHeader, validateHeaderSet } from '../contract/client-headers.ts'
import { type AllowableHeader, allowableHeaders } from '../contract/headers.ts'
import { formatFacts } from '../contract/output-format.ts'
import { HelperError } from '../runtime/failure.ts'
import {
  type HeaderTemplate,
  secondPrefix,
  splitWanted,
  toHeaderTemplate,
  validateFacts,
} from '../runtime/tokens/header-facts.ts'
import type { CommonOptions } from './options/every-helper-options.ts'

/**
 * Chooses the templates of the answer's headers. Headers that the format cannot carry are refused here, before a token is minted.
 * @throws {HelperError} `usage` or `refused`
 */
export function chooseHeaders(program: string, options: CommonOptions, facts: readonly string[]): ChosenHeaders {
  const second = { allowed: options['allow-header'], hasSecond: hasSecond(options) }
  const templates = parseHeaderTemplates(program, options.header, facts, second)
  if (options['no-headers'] || formatFacts[options.format].headers === 'left out')
    return { templates: [], isOfTwo: false, isBare: true }
  if (templates.length > 0) refuseHeaders(program, options.format)
  return { templates, isOfTwo: second.hasSecond, isBare: false }
}

/** The header templates of an answer, before their values are known. */
interface ChosenHeaders {
  readonly templates: readonly HeaderTemplate[]
  /** Whether the templates may use facts of a second token. */
  readonly isOfTwo: boolean
  /** Whether the answer has no headers, not even those that the source gives with the token. */
  readonly isBare: boolean
}

/** Refuses a format that cannot carry headers. @throws {HelperError} `refused` */
export function refuseHeaders(program: string, format: CommonOptions['format']): void {
  const { name, headers } = formatFacts[format]
  if (headers !== 'refused') return
  throw new HelperError(
    'refused',
    `${name} cannot carry headers`,
    `pass --no-headers, or use another format; see: ${program} --help`,
  )
}

/** The conditions, besides the helper's facts, that decide which templates are valid. */
interface TemplateRules {
  readonly allowed: AllowableHeader | undefined
  /** Whether the options name a second helper. Its facts are validated later, when that helper is loaded. */
  readonly hasSecond: boolean
}

/**
 * Parses `Name: value` templates.
 * @throws {HelperError} `usage` with every problem, such as a header that cannot be sent.
 */
function parseHeaderTemplates(
  program: string,
  texts: readonly string[],
  facts: readonly string[],
  { allowed, hasSecond }: TemplateRules,
): HeaderTemplate[] {
  const templates = texts.map(toHeaderTemplate)
  const problems = texts.some((text) => !text.includes(':'))
    ? ['one of them has no colon']
    : validateHeaderSet(
        templates.map(({ name, value }) => [name, value]),
        allowed,
      )
  for (const template of templates) {
    const { first, second } = splitWanted([template])
    problems.push(...validateFacts(template, first, facts))
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

function chooseHint(
  program: string,
  templates: readonly HeaderTemplate[],
  allowed: AllowableHeader | undefined,
): string {
  const refused = templates.map(({ name }) => name.toLowerCase()).filter((name) => isReservedHeader(name, allowed))
  const allowable = allowableHeaders.find((name) => refused.every((other) => other === name))
  if (refused.length > 0 && allowable)
    return `remove the header, or, if a gateway reads its own credential there, set allow-header to ${allowable}`
  return refused.length > 0
    ? 'remove the headers that the client sends itself'
    : `write each header as 'Name: value'; see: ${program} --help`
}

/** The options that choose the second helper and its settings. */
interface SecondSettings {
  readonly 'second-helper': string | undefined
  readonly 'second-command': readonly string[]
  readonly 'second-option': readonly string[]
}

/** Returns whether any option asks for a second token. */
export function hasSecond(options: SecondSettings): boolean {
  const { 'second-helper': helper, 'second-command': command, 'second-option': option } = options
  return helper !== undefined || command.length > 0 || option.length > 0
}
