import { everyContext } from '../contract/context.ts'
import { outputFormats } from '../contract/output-format.ts'
import { refreshCauses } from '../contract/refresh.ts'
import { listSourceKinds } from '../contract/source-kinds.ts'
import { stageKinds } from '../runtime/deadline.ts'
import { exitStatus } from '../runtime/failure.ts'
import { parseObject } from '../runtime/values/json-value.ts'
import { type CallOutcome, longestOutcomeLine, tokenOrigins } from './call-outcome.ts'

/** Parses a line of `renderOutcome`. @returns `undefined` for a line with anything but numbers and words of the closed sets. */
export function parseOutcome(line: string): CallOutcome | undefined {
  const value = line.length < longestOutcomeLine ? parseObject(line) : undefined
  if (value === undefined) return undefined
  for (const name of Object.keys(value)) if (!Object.hasOwn(rules, name)) return undefined
  for (const [name, { isValid, isOptional }] of Object.entries(rules)) {
    const member = value[name]
    if (member === undefined ? !isOptional : !isValid(member)) return undefined
  }
  return value as unknown as CallOutcome // every member has been validated
}

interface MemberRule {
  isValid(value: unknown): boolean
  readonly isOptional?: true
}

const isNumber = (value: unknown) => Number.isInteger(value) && (value as number) >= 0

const rules: Readonly<Record<keyof CallOutcome, MemberRule>> = {
  time: { isValid: isNumber },
  // The helpers of a build are not known here: another organization adds its own.
  helper: acceptPattern(/^[a-z][a-z0-9-]{0,47}$/),
  version: acceptPattern(/^\d{1,6}\.\d{1,6}\.\d{1,6}(-[0-9a-z.-]{1,24})?$/),
  context: acceptWords(everyContext),
  refresh: { ...acceptWords(refreshCauses), isOptional: true },
  format: acceptWords(outputFormats),
  outcome: acceptWords(['success', ...Object.keys(exitStatus)]),
  status: { isValid: isNumber },
  ms: { isValid: isNumber },
  origin: { ...acceptWords(tokenOrigins), isOptional: true },
  source: { ...acceptWords(listSourceKinds()), isOptional: true },
  mintMs: { isValid: isNumber, isOptional: true },
  late: { ...acceptWords(stageKinds), isOptional: true },
}

function acceptWords(words: readonly string[]): Pick<MemberRule, 'isValid'> {
  return { isValid: (value) => words.includes(value as string) }
}

function acceptPattern(pattern: RegExp): Pick<MemberRule, 'isValid'> {
  return { isValid: (value) => typeof value === 'string' && pattern.test(value) }
}
