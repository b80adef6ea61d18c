// Folder: options from arguments, variables, the user's file and the machine's file, by one table.

/** One row of a helper's table. Flag, variable, file key, help and documentation are derived from it. */
export interface OptionRow {
  readonly value: OptionKind
  readonly summary: string
  readonly default?: string | number | boolean
  /** Without it the helper gets no token: somebody has to set it. */
  readonly required?: true
  /** Required where another option has one of these values. */
  readonly requiredWith?: Condition
  /** Required where this other option is not set. */
  readonly requiredWithout?: string
  /** Required where this other option is set. */
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
  /** The only place in which the option can be set; any if absent. */
  readonly only?: 'command line' | "machine's file"
  /** The longest text, in UTF-16 code units. */
  readonly maxLength?: number
  /** The value is the name of a variable: runs in which that variable has another value may fail in other ways. */
  readonly names?: 'variable'
  /** `excluded` if the option changes how a token is shown or waited for, and not which token it is. */
  readonly cacheKey?: 'excluded'
}

/** The options of a program, by name. */
export type OptionTable = Readonly<Record<string, OptionRow>>

/** The values of a table's options: those that are required or have a default, flags and lists are always there. */
export type Options<T extends OptionTable> = {
  readonly [K in keyof T]: IsAlwaysSet<T[K]> extends true ? ValueOf<T[K]['value']> : ValueOf<T[K]['value']> | undefined
}

/** The values of a table's options where required ones may be missing. */
export type GivenOptions<T extends OptionTable> = {
  readonly [K in keyof T]: T[K] extends { readonly required: true; readonly value: Exclude<OptionKind, 'list'> }
    ? ValueOf<T[K]['value']> | undefined
    : Options<T>[K]
}

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
