import { clientDefaults, limits } from '../../contract/limits.ts'
import { outputFormats } from '../../contract/output.ts'

/** What an option holds. An array is a closed choice of words. */
export type OptionKind = 'text' | 'path' | 'seconds' | 'instant' | 'flag' | 'list' | readonly string[]

/** One row of a helper's table: flag, variable, file key, help and documentation are all derived from it. */
export interface OptionRow {
  readonly value: OptionKind
  readonly summary: string
  readonly default?: string | number
  /** Without it the helper gets no token: somebody has to set it. */
  readonly required?: true
  /** Bounds of `seconds`. */
  readonly min?: number
  readonly max?: number
  /** Variables of other tools that are read after our own. */
  readonly variables?: readonly string[]
  /** `command line` options make no sense in a variable or a file. */
  readonly only?: 'command line'
  /** An option that changes how an answer is shown or waited for, but not the answer, is no part of the cache's key. */
  readonly answer?: 'same'
}

export type OptionTable = Readonly<Record<string, OptionRow>>

type ValueOf<V extends OptionKind> = V extends 'seconds'
  ? number
  : V extends 'flag'
    ? boolean
    : V extends 'list'
      ? readonly string[]
      : V extends readonly (infer Word)[]
        ? Word
        : string

type IsAlwaysSet<R extends OptionRow> = R extends { readonly default: string | number } | { readonly required: true }
  ? true
  : R['value'] extends 'flag' | 'list'
    ? true
    : false

/** The values of a table's options: those that are required or have a default, flags and lists are always there. */
export type Options<T extends OptionTable> = {
  readonly [K in keyof T]: IsAlwaysSet<T[K]> extends true ? ValueOf<T[K]['value']> : ValueOf<T[K]['value']> | undefined
}

/** Options that every helper has, because the run itself reads them. */
export const commonOptions = {
  'client-ttl': {
    value: 'seconds',
    default: clientDefaults.ttlSec,
    min: 1,
    summary: 'the ttlSec of the client: how long it keeps a token before it asks again',
    answer: 'same',
  },
  'client-timeout': {
    value: 'seconds',
    default: clientDefaults.timeoutSec,
    min: 3,
    max: limits.timeoutSec,
    summary: 'the timeoutSec of the client: how long it waits; we end 2 seconds earlier',
    answer: 'same',
  },
  header: { value: 'list', summary: "a header for every request, such as 'X-Team: {account}'; may be repeated" },
  format: {
    value: outputFormats,
    default: 'json',
    summary: 'what to print: the document for the client, the bare token, or header lines for curl',
    answer: 'same',
  },
  cache: { value: ['disk', 'none'], default: 'disk', summary: 'where tokens are kept between runs', answer: 'same' },
  'not-before': {
    value: 'instant',
    summary: 'tokens that were kept before this date are not used, such as 2026-01-15T12:00:00Z',
    answer: 'same',
  },
  proxy: {
    value: 'text',
    summary: 'the HTTP proxy for requests beyond this machine, such as http://proxy.example:3128',
    variables: ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY', 'http_proxy', 'HTTP_PROXY'],
    answer: 'same',
  },
  'no-proxy': {
    value: 'text',
    summary: 'hosts that are reached without the proxy, such as .example,10.0.0.0/8',
    variables: ['no_proxy', 'NO_PROXY'],
    answer: 'same',
  },
  ca: {
    value: 'path',
    summary: "a PEM file with certificate authorities to trust beside the system's",
    answer: 'same',
  },
  'log-file': {
    value: 'path',
    summary: 'a file that gets one line of JSON for each call, without secrets',
    answer: 'same',
  },
  explain: {
    value: 'flag',
    only: 'command line',
    summary: 'say what would be used and why, and how long the token lives; never the token',
    answer: 'same',
  },
  help: { value: 'flag', only: 'command line', summary: 'print this text', answer: 'same' },
  version: { value: 'flag', only: 'command line', summary: 'print the version', answer: 'same' },
} as const satisfies OptionTable

export type CommonOptions = Options<typeof commonOptions>

/** `client-ttl` → `GATEPASS_CLIENT_TTL`. */
export function toVariable(option: string): string {
  return `GATEPASS_${option.toUpperCase().replaceAll('-', '_')}`
}

/** Every variable that sets an option, ours first. */
export function listVariables(option: string, row: OptionRow): string[] {
  return row.only ? [] : [toVariable(option), ...(row.variables ?? [])]
}

/** How an option's value is written in help and documentation. */
export function renderPlaceholder({ value }: OptionRow): string {
  if (typeof value !== 'string') return value.join('|')
  return { text: 'TEXT', path: 'PATH', seconds: 'SECONDS', instant: 'DATE', list: 'TEXT', flag: '' }[value]
}
