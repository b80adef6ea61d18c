import { isKeyLike } from '../../contract/api-keys.ts'
import { HelperError } from '../../runtime/failure.ts'
import { findNearestName } from '../../runtime/text/nearest-name.ts'
import type { OptionRow, OptionTable } from './option-table.ts'
import type { ParsedOption } from './option-value.ts'

/** An option of the command line with its value, or an argument that is not an option of the table. */
export interface ArgumentWord {
  /** The option's name; otherwise the whole argument. */
  readonly name: string
  /** `undefined` for an argument that is not an option of the table. */
  readonly row: OptionRow | undefined
  readonly value: string | undefined
  /** The option's parsed value, or the problem with it; `undefined` for an argument that is not an option. */
  readonly parsed: ParsedOption | undefined
}

/** Creates the failure of a command line, with a sentence for each mistake. No sentence repeats a value, which may be a secret. */
export function toUsageError(program: string, table: OptionTable, words: readonly ArgumentWord[]): HelperError {
  if (words.some(({ name, row, value }) => isKeyLike(row ? (value ?? '') : name))) return toKeyError(program)
  const problems = words.map((word, index) =>
    word.parsed
      ? describeValue(word, word.parsed)
      : describeForeign(table, word.name, findOptionBefore(table, words, index)),
  )
  const found = new Set(problems.filter((problem) => problem !== undefined))
  return new HelperError('usage', [...found].join('; '), findDashedValue(words) ?? `see: ${program} --help`)
}

/**
 * Creates the failure for an argument that looks like a key. Every user can list the arguments of processes, and a shell writes them to its
 * history.
 */
function toKeyError(program: string): HelperError {
  return new HelperError(
    'usage',
    'an argument looks like a key, and others on this machine can read arguments',
    `have that key replaced; to see how to give a secret, run: ${program} --help`,
  )
}

function describeValue({ name, row, value }: ArgumentWord, parsed: ParsedOption): string | undefined {
  if (!('problem' in parsed)) return undefined
  // A colon stands only before a problem with a value: "--lifetime: expected …", but "--lifetime needs a value".
  const isMissing = value === undefined || row?.value === 'flag'
  return `--${name}${isMissing ? '' : ':'} ${parsed.problem}`
}

/** Finds the last option before an argument, whether or not the table has it. */
function findOptionBefore(table: OptionTable, words: readonly ArgumentWord[], index: number): ArgumentWord | undefined {
  return words.slice(0, index).findLast(({ name, row }) => row !== undefined || isLikeOption(table, name))
}

function describeForeign(table: OptionTable, name: string, before: ArgumentWord | undefined): string | undefined {
  return isLikeOption(table, name) ? describeUnknown(table, name) : describeStray(table, before)
}

/**
 * Finds the advice for an option without a value that is followed by a word with two hyphens, which may be its value. The advice does not repeat
 * the word.
 */
function findDashedValue(words: readonly ArgumentWord[]): string | undefined {
  const before = words.find(({ row, value }, index) => isMissingText(row, value) && words[index + 1]?.row === undefined)
  const next = before && words[words.indexOf(before) + 1]
  return next?.name.startsWith('--')
    ? `write a value that begins with two dashes behind an equals sign: --${before?.name}=--…`
    : undefined
}

function isMissingText(row: OptionRow | undefined, value: string | undefined): boolean {
  return row !== undefined && isFreeText(row) && value === undefined
}

/**
 * Returns whether an argument is a misspelled option. One with a single hyphen, or with a word processor's dash, is one only if its name is
 * similar to an option's, because it may also begin a value.
 */
function isLikeOption(table: OptionTable, text: string): boolean {
  return isSpelledAsOption(text) || (dashes.test(text) && findNear(table, text) !== undefined)
}

/** Returns whether an argument begins with two hyphens, or with one hyphen and a single letter. */
function isSpelledAsOption(text: string): boolean {
  return /^--.|^-[A-Za-z](=|$)/.test(text)
}

const dashes = /^[-\u2010-\u2015\u2212]+/

function describeUnknown(table: OptionTable, text: string): string {
  const only = findMachineOption(table, text)
  if (only !== undefined) return `--${only} cannot be given as an argument: only the machine's file can set it`
  const near = findNear(table, text)
  const suggestion = near === undefined ? '' : ` (did you mean --${near}?)`
  if (!isSpelledAsOption(text)) return `an option starts with "--", two hyphens${suggestion}`
  return `unknown option ${text.replace(/[=\s].*$/s, '')}${suggestion}`
}

function findMachineOption(table: OptionTable, text: string): string | undefined {
  const name = toOptionName(text)
  return Object.hasOwn(table, name) && table[name]?.only === "machine's file" ? name : undefined
}

function describeStray(table: OptionTable, before: ArgumentWord | undefined): string | undefined {
  if (before && !before.row && mayTakeValue(table, before.name)) return undefined // the value of a misspelled option
  if (before?.row && isFreeText(before.row)) return describeMissingQuotes(before.name)
  return 'unexpected argument (options start with "--")'
}

function isFreeText({ value }: OptionRow): boolean {
  return value === 'text' || value === 'path' || value === 'list'
}

function mayTakeValue(table: OptionTable, text: string): boolean {
  const near = findNear(table, text)
  return !text.includes('=') && (near === undefined || table[near]?.value !== 'flag')
}

function describeMissingQuotes(name: string): string {
  const advice =
    name === 'header'
      ? 'the whole header in quotes, as in --header "X-Team: {account}"'
      : 'a value with blanks in quotes'
  return `--${name} is followed by more than one argument: write ${advice}`
}

/** Converts an argument to the name of the option that it may be. */
function toOptionName(text: string): string {
  return text.replace(dashes, '').replace(/=.*$/s, '')
}

function findNear(table: OptionTable, text: string): string | undefined {
  const name = toOptionName(text)
  return findNearestName(
    name.toLowerCase(),
    Object.keys(table).filter((known) => table[known]?.only !== "machine's file"),
  )
}
