import ownSystem from 'node:path'
import type { OptionRow } from './option-table.ts'

/** The value of an option of any kind. */
export type OptionValue = string | number | boolean | readonly string[]

/** A value, or the problem with it, in words that do not repeat the text. */
export type ParsedOption = { readonly value: OptionValue } | { readonly problem: string }

/** The path rules of a system, which may differ from this one's. */
export type PathRules = Pick<typeof ownSystem, 'isAbsolute'>

/** Parses the text of an argument or a variable. @param paths The path rules of the system that the helper runs on. */
export function parseOptionText(row: OptionRow, text: string, paths: PathRules = ownSystem): ParsedOption {
  if (isNumber(row)) return /^\d+$/.test(text) ? parseNumber(row, Number(text)) : toNumberProblem(row)
  if (isTruth(row)) {
    if (text === 'true' || text === '1') return { value: true }
    return text === 'false' || text === '0' ? { value: false } : { problem: 'expected true or false' }
  }
  if (row.value === 'list') return { value: text.split('\n').filter((line) => line !== '') }
  return row.value === 'path' ? parsePath(text, paths) : parsePlainText(row, text)
}

/** Parses the value of a JSON file. @param folder The folder of that file, against which a path that begins with ./ is resolved. */
export function parseOptionJson(row: OptionRow, native: unknown, folder: string): ParsedOption {
  if (isNumber(row))
    return typeof native === 'number'
      ? parseNumber(row, native)
      : toTypeProblem(`a whole number${describeUnit(row)}`, native)
  if (isTruth(row)) return typeof native === 'boolean' ? { value: native } : toTypeProblem('true or false', native)
  if (row.value === 'list') {
    const texts = Array.isArray(native) && native.every((item) => typeof item === 'string')
    return texts ? { value: native } : toTypeProblem('a list of texts', native)
  }
  if (typeof native !== 'string') return toTypeProblem('a text', native)
  return row.value === 'path' ? parsePath(native, ownSystem, folder) : parsePlainText(row, native)
}

/** Lists the variables that set an option, Gatepass's own first. */
export function listVariables(option: string, row: OptionRow): string[] {
  return row.only ? [] : [toVariable(option), ...(row.variables ?? [])]
}

/** Derives the variable of an option: `client-ttl` → `GATEPASS_CLIENT_TTL`. */
export function toVariable(option: string): string {
  return `GATEPASS_${option.toUpperCase().replaceAll('-', '_')}`
}

/** Returns whether arguments set an option, in either form: `--option value` or `--option=value`. */
export function hasArgument(args: readonly string[], option: string): boolean {
  return args.some((arg) => arg === `--${option}` || arg.startsWith(`--${option}=`))
}

/** Lists the values that arguments give an option, in either form. */
export function listArgumentValues(args: readonly string[], option: string): string[] {
  return listArgumentPositions(args, option).map(([index, begin]) => args[index]!.slice(begin))
}

/** Lists where the values of an option stand in arguments: the index of the word, and the value's first character in it. */
export function listArgumentPositions(args: readonly string[], option: string): [index: number, begin: number][] {
  const flag = `--${option}`
  return args.flatMap((arg, at): [number, number][] => {
    if (arg === flag) return at + 1 < args.length ? [[at + 1, 0]] : []
    return arg.startsWith(`${flag}=`) ? [[at, flag.length + 1]] : []
  })
}

function isNumber({ value }: OptionRow): boolean {
  return value === 'seconds' || value === 'number'
}

function isTruth({ value }: OptionRow): boolean {
  return value === 'flag' || value === 'boolean'
}

function parseNumber(row: OptionRow, number: number): ParsedOption {
  const { min = 0, max = Number.MAX_SAFE_INTEGER } = row
  if (!Number.isInteger(number)) return toNumberProblem(row)
  const unit = row.value === 'seconds' ? ' seconds' : ''
  if (number < min) return { problem: `expected at least ${min}${unit}` }
  return number > max ? { problem: `expected at most ${max}${unit}` } : { value: number }
}

function toNumberProblem(row: OptionRow): ParsedOption {
  return { problem: `expected a whole number${describeUnit(row)}` }
}

function describeUnit({ value }: OptionRow): string {
  return value === 'seconds' ? ' of seconds' : ''
}

/**
 * Parses a path that is absolute, or begins with `~/`, or in a file with `./`. Any other relative path is a problem: the client chooses the
 * working directory, so each run could mean another file.
 */
function parsePath(text: string, paths: PathRules, folder?: string): ParsedOption {
  const problem = validateText(text)
  if (problem !== undefined) return { problem }
  if (paths.isAbsolute(text) || text.startsWith('~/')) return { value: text }
  if (folder === undefined) return { problem: 'expected an absolute path, or one that begins with ~/' }
  return text.startsWith('./')
    ? { value: ownSystem.join(folder, text) }
    : { problem: 'expected an absolute path, or one that begins with ~/ or ./' }
}

function validateText(text: string): string | undefined {
  if (text.trim() === '') return 'expected a text, found an empty one'
  return text.includes('\0') ? 'expected a text without NUL' : undefined
}

function parsePlainText(row: OptionRow, text: string): ParsedOption {
  const problem = validateText(text)
  if (problem !== undefined) return { problem }
  if (row.maxLength !== undefined && text.length > row.maxLength)
    return { problem: `expected at most ${row.maxLength} characters` }
  if (typeof row.value !== 'string') {
    return row.value.includes(text) ? { value: text } : { problem: `expected one of ${row.value.join(', ')}` }
  }
  if (row.value === 'instant' && !isInstant(text))
    return { problem: 'expected a date such as 2026-01-15 or 2026-01-15T12:00:00Z' }
  return { value: text }
}

/** Returns whether a text is a time in ISO 8601, in UTC or with an offset. A local time would be another moment on each machine. */
function isInstant(text: string): boolean {
  const [, year, month, day] =
    /^(\d{4})-(\d\d)-(\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/.exec(text) ?? []
  // `Date.parse` accepts a 31st day in every month.
  const isDay = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day)
  return isDay && !Number.isNaN(Date.parse(text))
}

function toTypeProblem(what: string, found: unknown): ParsedOption {
  return { problem: `expected ${what}, found ${nameType(found)}` }
}

function nameType(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return { string: 'a text', number: 'a number', boolean: 'true or false' }[typeof value as string] ?? 'an object'
}
