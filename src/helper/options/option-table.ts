// Folder: the table of a helper's options, and their values from arguments, variables, the user's file and the machine's file.

/** One row of a helper's table. Flag, variable, file key, help and documentation are derived from it. */
export interface OptionRow {
  readonly value: OptionKind
  readonly summary: string
  readonly default?: string | number | boolean
  /** Without a value the helper gets no token. */
  readonly required?: true
  /** Required if each of these options has one of the listed values. */
  readonly requiredWith?: Condition
  /** Required if this other option is not set. */
  readonly requiredWithout?: string
  /** Required if this other option is set. */
  readonly requiredBeside?: string
  /** `config init` asks for the value, although it is not required, if the condition holds; `{}` always holds. */
  readonly asked?: Condition
  /** The bounds of a value of the kind `seconds` or `number`. */
  readonly min?: number
  readonly max?: number
  /** The variables of other tools, which are read after Gatepass's own. */
  readonly variables?: readonly string[]
  /** One letter that stands for the name, as in `-h`. */
  readonly short?: string
  /** The only place where the option can be set; absent: every place. */
  readonly only?: 'command line' | "machine's file"
  /** The longest text, in UTF-16 code units. */
  readonly maxLength?: number
  /** The option's value is the name of a variable. Runs with different values of that variable may fail in different ways. */
  readonly names?: 'variable'
  /** `excluded` if the option changes only how a token is printed or awaited, and not which token it is. */
  readonly cacheKey?: 'excluded'
}

/** The options of a program, by name. */
export type OptionTable = Readonly<Record<string, OptionRow>>

/** The values of a table's options, by name. Required options, options with a default, flags and lists always have a value. */
export type Options<T extends OptionTable> = {
  readonly [K in keyof T]: IsAlwaysSet<T[K]> extends true ? ValueOf<T[K]['value']> : ValueOf<T[K]['value']> | undefined
}

/** The values of a table's options before required ones are checked, so that these may be missing. */
export type GivenOptions<T extends OptionTable> = {
  readonly [K in keyof T]: T[K] extends { readonly required: true; readonly value: Exclude<OptionKind, 'list'> }
    ? ValueOf<T[K]['value']> | undefined
    : Options<T>[K]
}

/** Returns whether each option of the condition has one of its values; false without a condition. */
export function hasValueOf(condition: Condition | undefined, values: ReadonlyMap<string, unknown>): boolean {
  if (condition === undefined) return false
  return Object.entries(condition).every(([name, wanted]) => wanted.includes(String(values.get(name))))
}

/** The kind of an option's value. An array lists the permitted words. A flag on the command line is true; a boolean has a value. */
type OptionKind = 'text' | 'path' | 'seconds' | 'number' | 'instant' | 'flag' | 'boolean' | 'list' | readonly string[]

/** Values of other options, by name, all of which have to match. A flag on the command line has the value `true`. */
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

/** Returns whether the helper gets no token unless this option is set, given the values of the others. */
export function isNeeded(row: OptionRow, values: ReadonlyMap<string, unknown>): boolean {
  const { required = false, requiredWithout, requiredBeside, requiredWith } = row
  const isOnly = requiredWithout !== undefined && !values.has(requiredWithout)
  const isOther = requiredBeside !== undefined && values.has(requiredBeside)
  return required || isOnly || isOther || hasValueOf(requiredWith, values)
}

export function listMissing(options: OptionTable, values: ReadonlyMap<string, unknown>): string[] {
  return Object.entries(options).flatMap(([name, row]) => (!values.has(name) && isNeeded(row, values) ? [name] : []))
}

/** Renders the placeholder of an option's value for help and documentation. */
export function renderPlaceholder({ value }: OptionRow): string {
  if (typeof value !== 'string') return value.join(value.length > longestOnOneLine ? ' | ' : '|')
  return placeholders[value]
}

/** A choice with more words is written with spaces, at which a line can break. */
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
