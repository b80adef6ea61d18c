// Folder: options from arguments, variables, the user's file and the machine's file, by one table.

import { renewEarlyPercent } from '../../contract/freshness.ts'
import { clientDefaults, limits } from '../../contract/limits.ts'
import { outputFormats } from '../../contract/output-format.ts'
import { outcomeOptions, secondOptions } from './second-options.ts'

/** One row of a helper's table. Flag, variable, file key, help and documentation are derived from it. */
export interface OptionRow {
  readonly value: OptionKind
  readonly summary: string
  readonly default?: string | number | boolean
  /** Without it the helper gets no token: somebody has to set it. */
  readonly required?: true
  /** The same, where another option has one of these values. */
  readonly requiredWith?: Condition
  /** The same, where this other option is not set. */
  readonly requiredWithout?: string
  /** The same, where this other option is set. */
  readonly requiredBeside?: string
  /** A setting that `config init` asks for although it is not required: always for `{}`. */
  readonly asked?: Condition
  /** Bounds of `seconds` and `number`. */
  readonly min?: number
  readonly max?: number
  /** Variables of other tools that are read after our own. */
  readonly variables?: readonly string[]
  /** One letter that stands for the name, as in `-h`. */
  readonly short?: string
  /** For an option that can be set only in one place. */
  readonly only?: 'command line' | "machine's file"
  /** The longest text, in UTF-16 code units. */
  readonly maxLength?: number
  /** The value is the name of a variable: runs in which that variable has another value may fail in other ways. */
  readonly names?: 'variable'
  /** For an option that changes how a token is shown or waited for, and not which token it is. */
  readonly cacheKey?: 'excluded'
}

/** The options of a program, by name. */
export type OptionTable = Readonly<Record<string, OptionRow>>

/** The values of a table's options: those that are required or have a default, flags and lists are always there. */
export type Options<T extends OptionTable> = {
  readonly [K in keyof T]: IsAlwaysSet<T[K]> extends true ? ValueOf<T[K]['value']> : ValueOf<T[K]['value']> | undefined
}

/** The same where required options may be missing. */
export type GivenOptions<T extends OptionTable> = {
  readonly [K in keyof T]: T[K] extends { readonly required: true; readonly value: Exclude<OptionKind, 'list'> }
    ? ValueOf<T[K]['value']> | undefined
    : Options<T>[K]
}

/** The options of every helper, which the run itself reads. */
export const commonOptions = {
  'client-ttl': {
    value: 'seconds',
    default: clientDefaults.ttlSec,
    min: 1,
    summary: 'the ttlSec of the client: how long it keeps a token before it asks again',
    cacheKey: 'excluded',
  },
  'client-timeout': {
    value: 'seconds',
    default: clientDefaults.timeoutSec,
    min: 3,
    max: limits.timeoutSec,
    summary: 'the timeoutSec of the client: how long it waits; we end 2 seconds earlier',
    cacheKey: 'excluded',
  },
  header: { value: 'list', summary: "a header for every request, such as 'X-Team: {account}'; may be repeated" },
  ...secondOptions,
  format: {
    value: outputFormats,
    default: 'json',
    summary:
      'what to print: the document for the client, the bare token, header lines for curl, or what another client reads',
    cacheKey: 'excluded',
  },
  'no-headers': {
    value: 'flag',
    summary: 'print no headers, for a client that cannot send them',
    cacheKey: 'excluded',
  },
  'for-host': {
    value: 'list',
    summary:
      'a server that may get the token with the formats bazel and git, such as example.com or *.example.com:8443; may be repeated',
    cacheKey: 'excluded',
  },
  'git-username': {
    value: 'text',
    summary: 'the user name beside the token with the format git, where the remote names none (default: oauth2)',
    cacheKey: 'excluded',
  },
  cache: {
    value: ['disk', 'keychain', 'none'],
    default: 'disk',
    summary:
      "where tokens are kept between runs: on disk, there sealed with a key of the system's keychain, or nowhere",
    cacheKey: 'excluded',
  },
  'renew-early': {
    value: 'number',
    default: renewEarlyPercent.default,
    min: 0,
    max: renewEarlyPercent.most,
    summary:
      'how early a cached token may be renewed, in percent of the time for which it is served; each machine has its own part of that, so that a fleet does not renew in one moment',
    cacheKey: 'excluded',
  },
  'suspect-repetition': {
    value: 'flag',
    summary:
      'take a second call by one process of the client for a refusal of its token, for a client that asks again after a refusal only',
    cacheKey: 'excluded',
  },
  'suspect-after': {
    value: 'number',
    min: 2,
    max: 50,
    summary:
      'get a new token where one process of the client asks so many times within ten seconds, at most once a minute, for a client that asks for each request',
    cacheKey: 'excluded',
  },
  'not-before': {
    value: 'instant',
    summary: 'cached tokens from before this date are not used, such as 2026-01-15T12:00:00Z',
    cacheKey: 'excluded',
  },
  proxy: {
    value: 'text',
    summary: 'the HTTP proxy for requests beyond this machine, such as http://proxy.example:3128',
    variables: ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY', 'http_proxy', 'HTTP_PROXY'],
    cacheKey: 'excluded',
  },
  'no-proxy': {
    value: 'text',
    summary: 'hosts that are reached without the proxy, such as .example,10.0.0.0/8',
    variables: ['no_proxy', 'NO_PROXY'],
    cacheKey: 'excluded',
  },
  ca: {
    value: 'path',
    summary: "a PEM file with certificate authorities to trust beside the system's",
    cacheKey: 'excluded',
  },
  'log-file': {
    value: 'path',
    summary: 'a file that gets one line of JSON for each call, without secrets',
    cacheKey: 'excluded',
  },
  ...outcomeOptions,
  'sign-in-hint': {
    value: 'text',
    maxLength: 300,
    only: "machine's file",
    summary: 'what people read in place of our hint where somebody has to sign in first (status 4)',
    cacheKey: 'excluded',
  },
  explain: {
    value: 'flag',
    only: 'command line',
    summary: 'say what would be used and why, and how long the token lives; never the token',
    cacheKey: 'excluded',
  },
  help: {
    value: 'flag',
    short: 'h',
    only: 'command line',
    summary: 'print this text; "--help all" names every option',
    cacheKey: 'excluded',
  },
  version: { value: 'flag', short: 'V', only: 'command line', summary: 'print the version', cacheKey: 'excluded' },
} as const satisfies OptionTable

/** The values of {@link commonOptions}. */
export type CommonOptions = Options<typeof commonOptions>

/** Whether the options have values for which the rule holds. */
export function hasValueOf(condition: Condition | undefined, values: ReadonlyMap<string, unknown>): boolean {
  if (condition === undefined) return false
  return Object.entries(condition).every(([name, wanted]) => wanted.includes(String(values.get(name))))
}

/** The kind of an option's value. An array is a closed choice of words. A flag that is given is true; a boolean has a value. */
type OptionKind = 'text' | 'path' | 'seconds' | 'number' | 'instant' | 'flag' | 'boolean' | 'list' | readonly string[]

/** The values of other options, by name, for which a rule holds; a flag that is given has the value `true`. */
type Condition = Readonly<Record<string, readonly string[]>>

type ValueOf<V extends OptionKind> = V extends 'seconds' | 'number'
  ? number
  : V extends 'flag' | 'boolean'
    ? boolean
    : V extends 'list'
      ? readonly string[]
      : V extends readonly (infer Word)[]
        ? Word
        : string

type IsAlwaysSet<R extends OptionRow> = R extends
  | { readonly default: string | number | boolean }
  | { readonly required: true }
  ? true
  : R['value'] extends 'flag' | 'list'
    ? true
    : false

/** Whether a helper gets no token without a value of the option, beside those that are there. */
export function isNeeded(row: OptionRow, values: ReadonlyMap<string, unknown>): boolean {
  const { required = false, requiredWithout, requiredBeside, requiredWith } = row
  const isOnly = requiredWithout !== undefined && !values.has(requiredWithout)
  const isOther = requiredBeside !== undefined && values.has(requiredBeside)
  return required || isOnly || isOther || hasValueOf(requiredWith, values)
}

/** The options that are needed and have no value. */
export function listMissing(options: OptionTable, values: ReadonlyMap<string, unknown>): string[] {
  return Object.entries(options).flatMap(([name, row]) => (!values.has(name) && isNeeded(row, values) ? [name] : []))
}

/** The placeholder of an option's value in help and documentation. */
export function renderPlaceholder({ value }: OptionRow): string {
  if (typeof value !== 'string') return value.join(value.length > longestOnOneLine ? ' | ' : '|')
  return placeholders[value]
}

/** A choice of more words is written with spaces, at which a line can be broken. */
const longestOnOneLine = 9

const placeholders = {
  text: 'TEXT',
  path: 'PATH',
  seconds: 'SECONDS',
  number: 'NUMBER',
  instant: 'DATE',
  list: 'TEXT',
  flag: '',
  boolean: 'true|false',
} as const
