import { isMap, isScalar, isSeq, type Node } from 'yaml'
import { parseYaml, type YamlText } from '../../client/simulation/parse-scenario.ts'
import type { ParsedScenario } from '../../client/simulation/scenario.ts'
import { findNearestName } from '../../runtime/text/nearest-name.ts'

/** Why a value cannot be used, for its author. */
export interface Invalid {
  readonly problem: string
}

/** Creates the result that replaces an invalid value. */
export function rejectValue(problem: string): Invalid {
  return { problem }
}

/** Returns whether a parsed value is a result of {@link rejectValue}. */
export function isInvalid(value: unknown): value is Invalid {
  return typeof value === 'object' && value !== null && 'problem' in value
}

/** Parses the value of one key. Parts with errors, which it has already reported with their lines, are omitted. */
export type ParseNode<Value> = (node: Node, yaml: YamlText) => Value | Invalid

type ValuesOf<Rows> = { [Key in keyof Rows]?: Rows[Key] extends ParseNode<infer Value> ? Value : never }

/** Parses a mapping by a table of its keys. Unknown or invalid keys are reported and omitted. */
export function parseMapping<Rows extends Readonly<Record<string, ParseNode<unknown>>>>(
  node: Node,
  yaml: YamlText,
  rows: Rows,
): ValuesOf<Rows> | Invalid {
  if (!isMap(node)) return rejectValue(`expected ${Object.keys(rows).join(', ')} with their values`)
  const values: Record<string, unknown> = {}
  for (const { key, value } of node.items) {
    const name = isScalar(key) ? String(key.value) : ''
    const parse = Object.hasOwn(rows, name) ? rows[name] : undefined
    if (!parse) yaml.addProblem(key as Node, describeUnknown(name, Object.keys(rows)))
    else {
      const parsed =
        value === null || (isScalar(value) && value.value === null)
          ? rejectValue('there is no value')
          : parse(value as Node, yaml)
      if (isInvalid(parsed)) yaml.addProblem((value ?? key) as Node, `${name}: ${parsed.problem}`)
      else values[name] = parsed
    }
  }
  return values as ValuesOf<Rows> // each key is one of the rows, and its value is that row's result
}

function describeUnknown(name: string, known: readonly string[]): string {
  const nearest = findNearestName(name, known)
  const problem = nearest === undefined ? `is not one of ${known.join(', ')}` : `is not known; did you mean ${nearest}?`
  return `${JSON.stringify(name)} ${problem}`
}

/**
 * Parses a scenario with sites in YAML, which includes JSON. It reports all problems at once.
 * @param validateTogether Finds problems between values that are valid by themselves.
 */
export function parseSections<Rows extends Readonly<Record<string, ParseNode<unknown>>>, Scenario>(
  text: string,
  sections: Rows & { readonly sites: ParseNode<readonly unknown[]> },
  toScenario: (values: ValuesOf<Rows>) => Scenario,
  validateTogether: (values: ValuesOf<Rows>) => readonly string[] = () => [],
): ParsedScenario<Scenario> {
  const yaml = parseYaml(text)
  const { root, problems } = yaml
  if (problems.length > 0) return { ok: false, problems }
  const values = root ? parseMapping<Rows>(root, yaml, sections) : rejectValue('the file is empty')
  if (isInvalid(values)) yaml.addProblem(root, values.problem)
  else if (!hasSites(values) && problems.length === 0) yaml.addProblem(root, '"sites" is missing')
  else for (const problem of validateTogether(values)) yaml.addProblem(root, problem)
  if (isInvalid(values) || problems.length > 0) return { ok: false, problems }
  return { ok: true, scenario: toScenario(values) }
}

function hasSites({ sites }: { readonly sites?: unknown }): boolean {
  return Array.isArray(sites) && sites.length > 0
}

/** Parses each item of a list. Invalid items are reported and omitted. */
export function parseList<Value>(parse: ParseNode<Value>): ParseNode<readonly Value[]> {
  return (node, yaml) => {
    if (!isSeq(node)) return rejectValue('expected a list')
    const items = node.items as Node[]
    return items.flatMap((item) => {
      const parsed = parse(item, yaml)
      if (!isInvalid(parsed)) return [parsed]
      yaml.addProblem(item, parsed.problem)
      return []
    })
  }
}

/** Parses a text, or the digits of a number. */
export function parseWords<Value>(parse: (text: string) => Value | Invalid): ParseNode<Value> {
  return (node) => {
    const value = isScalar(node) ? node.value : undefined
    return typeof value === 'string' || typeof value === 'number'
      ? parse(String(value))
      : rejectValue('expected a text or a number')
  }
}

/** Parses a number between two bounds; a whole one unless the kind allows decimals. */
export function parseNumber(least: number, most: number, kind: 'whole' | 'decimal' = 'whole'): ParseNode<number> {
  return parseWords((text) => parseBounded(text, least, most, kind))
}

/** Parses the text of a number between two bounds. */
export function parseBounded(
  text: string,
  least: number,
  most: number,
  kind: 'whole' | 'decimal' = 'whole',
): number | Invalid {
  const isNumber = (kind === 'whole' ? /^\d{1,9}$/ : /^\d{1,9}(\.\d{1,9})?$/).test(text)
  if (isNumber && Number(text) >= least && Number(text) <= most) return Number(text)
  return rejectValue(
    `${JSON.stringify(text)} is not a ${kind === 'whole' ? 'whole ' : ''}number from ${least} to ${most}`,
  )
}
