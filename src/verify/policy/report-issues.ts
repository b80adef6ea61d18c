import * as z from 'zod'
import { describeNearest, findNearestName } from '../../runtime/text/nearest-name.ts'
import { describeType } from '../../runtime/values/json-value.ts'
import { joinPath } from '../../runtime/values/position.ts'
import { programName } from '../../version.ts'
import { createPolicyFinding, type PolicyFinding, type PolicyProblem, toPolicyFinding } from './policy-finding.ts'

/** Turns the issues of a shape into findings. They name the type of a value, never the value. */
export function reportIssues(issues: readonly Issue[], root: unknown, shape: z.ZodType): PolicyFinding[] {
  return issues.flatMap((issue) => reportIssue(issue, root, shape))
}

/** Adds a check to a text; the problem that the check finds becomes a finding. */
export function withExamination(schema: z.ZodString, find: (text: string) => PolicyProblem | undefined): z.ZodString {
  return schema.check((context) => {
    const problem = find(context.value)
    if (problem) context.issues.push({ code: 'custom', input: context.value, params: { problem } })
  })
}

type Issue = z.core.$ZodIssue
type IssuePath = readonly PropertyKey[]

function reportIssue(issue: Issue, root: unknown, shape: z.ZodType): PolicyFinding[] {
  const path = toPath(issue.path)
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => reportUnknownKey(key, issue.path, shape))
    case 'invalid_key':
      return issue.issues.flatMap((inner) => reportIssue({ ...inner, path: issue.path } as Issue, root, shape))
    case 'invalid_type':
      return [reportType(issue.expected, path, findValue(root, issue.path))]
    case 'invalid_value':
      return [reportChoice(issue.values, path, findValue(root, issue.path))]
    case 'too_small':
    case 'too_big':
      return [reportRange(issue, path)]
    case 'invalid_format':
      return [createPolicyFinding('invalid-value', path, issue.message, 'write it in that form')]
    case 'custom':
      return [toPolicyFinding(issue.params?.problem as PolicyProblem, path)]
    default:
      return [
        createPolicyFinding('invalid-value', path, 'it cannot be used', `see: ${programName} gateway policy schema`),
      ]
  }
}

function reportUnknownKey(key: string, parents: IssuePath, shape: z.ZodType): PolicyFinding {
  const known = listKnownKeys(shape, parents)
  const near = findNearestName(key, known) ?? known.find((name) => name.toLowerCase() === key.toLowerCase())
  const hint = near ? `did you mean "${near}"?` : `remove it; known here are ${known.join(', ')}`
  return createPolicyFinding('unknown-key', toPath([...parents, key]), 'there is no such key', hint)
}

function reportType(expected: string, path: string, value: unknown): PolicyFinding {
  const kind = sameKinds[expected] ?? expected
  const name = typeNames[kind] ?? kind
  if (value === undefined) return reportMissing(path, name)
  const hint = typeHints[kind] ?? `write ${name}`
  return createPolicyFinding('wrong-type', path, `expected ${name}, found ${describeType(value)}`, hint)
}

function reportMissing(path: string, wanted: string): PolicyFinding {
  return createPolicyFinding('required-missing', path, 'it has to be set', `add ${wanted}`)
}

function listKnownKeys(shape: z.core.$ZodType, path: IssuePath): string[] {
  let inner: unknown = stripWrapping(shape)
  for (const key of path) {
    if (inner instanceof z.ZodArray) inner = stripWrapping(inner.element)
    else if (inner instanceof z.ZodObject) inner = stripWrapping(inner.shape[String(key)])
    else return []
  }
  return inner instanceof z.ZodObject ? Object.keys(inner.shape) : []
}

function stripWrapping(shape: unknown): unknown {
  return shape instanceof z.ZodOptional || shape instanceof z.ZodDefault ? stripWrapping(shape.unwrap()) : shape
}

function findValue(root: unknown, path: IssuePath): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? (value as Record<PropertyKey, unknown>)[key]
        : undefined,
    root,
  )
}

function reportChoice(values: readonly unknown[], path: string, value: unknown): PolicyFinding {
  if (value === undefined) return reportMissing(path, joinValues(values))
  const others = `write ${joinValues(values)}, or remove it`
  const hint = typeof value === 'string' ? describeNearest(value, values.map(String), others) : others
  return createPolicyFinding('invalid-value', path, `expected ${joinValues(values)}`, hint)
}

function joinValues(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(' or ')
}

function reportRange(issue: Extract<Issue, { code: 'too_small' | 'too_big' }>, path: string): PolicyFinding {
  const bound = issue.code === 'too_small' ? `at least ${issue.minimum}` : `at most ${issue.maximum}`
  const units: Readonly<Record<string, string>> = { string: 'characters', array: 'items', record: 'members' }
  const unit = units[issue.origin]
  const report = (message: string, hint: string) => createPolicyFinding('out-of-range', path, message, hint)
  if (unit === undefined) return report(`expected a number of ${bound}`, `write ${bound}`)
  return issue.code === 'too_small'
    ? report('it is empty', 'fill it in, or remove it if it may be absent')
    : report(`it has more than ${issue.maximum} ${unit}`, `write ${bound} ${unit}`)
}

/** Kinds that only the library distinguishes. */
const sameKinds: Readonly<Record<string, string>> = { record: 'object', int: 'number' }

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  array: 'a list',
  object: 'an object',
  boolean: 'true or false',
  number: 'a whole number',
}

const typeHints: Readonly<Record<string, string>> = {
  string: 'write it in quotes',
  array: 'write it in [ and ], even if it has one item',
  object: 'write it in { and }',
}

function toPath(keys: IssuePath): string {
  return keys.reduce<string>((path, key) => joinPath(path, typeof key === 'number' ? key : String(key)), '')
}
