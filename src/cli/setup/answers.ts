// Folder: `gatepass setup`: its answers, the folder that it writes, and the trial of that folder.

import { HelperError, toOneLine } from '../../runtime/failure.ts'
import { findNearestName } from '../../runtime/text/nearest-name.ts'
import { parseJsonText } from '../../runtime/values/json-text.ts'
import { isObject, renderJson, stripMark } from '../../runtime/values/json-value.ts'

/**
 * Every answer, by the name of its option and of its key in an answers file, in the order of the questions. Answers without a question can
 * only be options.
 */
export const answerNames = [
  'client',
  'proxy',
  'base-url',
  'ca',
  'identity',
  'api-key-file',
  'issuer',
  'client-id',
  'scopes',
  'refresh-token-store',
  'redirect-port',
  'key-header',
  'sso-start-url',
  'sso-region',
  'sso-account',
  'sso-role',
  'gateway-audience',
  'ttl',
  'systems',
  'management',
  'outcomes',
  'recipe',
  'audience',
  'allow',
  'client-version',
  'command',
  'command-windows',
  'identifier',
  'organization',
] as const

/** The name of an answer, in the file of answers and among the options. */
export type AnswerName = (typeof answerNames)[number]

/** Answers by name; several values of one answer are separated by commas. */
export type SetupAnswers = Readonly<Partial<Record<AnswerName, string>>> & {
  /** Further arguments of the helper. */
  readonly arg?: readonly string[]
}

/** Splits the values of an answer that may have several. */
export function splitList(text: string | undefined): string[] {
  return (text ?? '').split(/[\s,]+/).filter((word) => word !== '')
}

/**
 * Parses an answers file.
 * @throws {HelperError} `usage` that lists all its problems.
 */
export function parseAnswers(text: string, source: string): SetupAnswers {
  const parsed = parseJsonText(stripMark(text))
  const toFailure = (problem: string) =>
    new HelperError('usage', toOneLine(`${source} ${problem}`), 'write one JSON object with a key for each option')
  if ('problem' in parsed) throw toFailure('is not JSON')
  const { value } = parsed
  if (!isObject(value)) throw toFailure('is not a JSON object')
  const problems = Object.entries(value).flatMap(([key, member]) => describeProblem(key, member) ?? [])
  if (problems.length > 0) throw toFailure(`has answers that cannot be used: ${problems.join('; ')}`)
  const entries = Object.entries(value as Record<string, string | number | readonly string[]>) // the check above permits only these types
  return Object.fromEntries(entries.map(([key, member]) => [key, key === 'arg' ? [member].flat() : toText(member)]))
}

function describeProblem(key: string, member: unknown): string | undefined {
  const known: readonly string[] = [...answerNames, 'arg']
  if (!known.includes(key)) {
    const near = findNearestName(toOptionName(key), known)
    return `there is no answer ${JSON.stringify(key)}${near === undefined ? '' : `, did you mean ${JSON.stringify(near)}?`}`
  }
  const isText = typeof member === 'string' || (typeof member === 'number' && Number.isFinite(member))
  const isList = Array.isArray(member) && member.every((item) => typeof item === 'string')
  return isText || isList ? undefined : `${key} is neither text nor a list of texts`
}

function toText(member: string | number | readonly string[]): string {
  return typeof member === 'object' ? member.join(',') : String(member)
}

function toOptionName(key: string): string {
  return key
    .replaceAll(/[_\s]+/g, '-')
    .replaceAll(/[A-Z]/g, (letter, at: number) => `${at > 0 && key[at - 1] !== '-' ? '-' : ''}${letter.toLowerCase()}`)
}

/** Renders an answers file, in the order of the questions. */
export function renderAnswers(answers: SetupAnswers): string {
  const given = answerNames.flatMap((name) => (answers[name] === undefined ? [] : [[name, answers[name]] as const]))
  const { arg = [] } = answers
  const all = [...given, ...(arg.length > 0 ? [['arg', arg] as const] : [])]
  return renderJson(Object.fromEntries(all))
}

/** Returns whether an answer means that there is nothing. */
export function isNone(answer: string | undefined): boolean {
  return answer === undefined || answer === 'none'
}
