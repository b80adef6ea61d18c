/** A value of the interpreter: text, a number, true or false, nothing, a list, a table, or an object of the stand-in. */
export type Value = unknown

/** A hash table, whose names are compared without case. */
export class Table {
  readonly #entries = new Map<string, [name: string, value: Value]>()
  get(name: Value): Value {
    return this.#entries.get(String(name).toLowerCase())?.[1] ?? null
  }
  set(name: Value, value: Value): void {
    this.#entries.set(String(name).toLowerCase(), [String(name), value])
  }
  toJSON(): Record<string, Value> {
    return Object.fromEntries(this.#entries.values())
  }
}

/** The operators that our scripts use, as PowerShell defines them for the types that stand beside them there. */
export const operators: Readonly<Record<string, (left: Value, right: Value) => Value>> = {
  '-eq': isEqual,
  '-ne': (left, right) => !isEqual(left, right),
  '-gt': (left, right) => requireNumber(left) > requireNumber(right),
  '-contains': (list, item) => requireList(list).some((other) => isEqual(other, item)),
  '-notcontains': (list, item) => !requireList(list).some((other) => isEqual(other, item)),
  '-match': (text, pattern) => new RegExp(requireText(pattern), 'i').test(requireText(text)),
  '-join': (list, separator) => requireList(list).join(requireText(separator)),
  '-band': (left, right) => requireNumber(left) & requireNumber(right),
  '+': add,
}

/** Texts are compared without case; nothing is equal to nothing alone. */
function isEqual(left: Value, right: Value): boolean {
  if (Array.isArray(left)) throw new Error('a list before -eq or -ne is a filter, which no script means')
  if (typeof left === 'string' && typeof right === 'string') return left.toLowerCase() === right.toLowerCase()
  if (left === null || right === null || typeof left === typeof right) return left === right
  throw new Error(`a ${typeof left} is compared with a ${typeof right}`)
}

/** A list takes what is added; a text takes text. */
function add(left: Value, right: Value): Value {
  if (Array.isArray(left)) return [...left, ...(Array.isArray(right) ? right : [right])]
  return requireText(left) + requireText(right)
}

/** Returns the truth of a value in a condition. */
export function isTrue(value: Value): boolean {
  if (typeof value === 'boolean') return value
  throw new Error(`a condition is ${typeof value}`)
}

/** The list, of which nothing is an empty one where it is run through. */
export function requireList(value: Value): readonly Value[] {
  if (Array.isArray(value)) return value
  throw new Error(`a list was expected, not ${typeof value}`)
}

export function requireText(value: Value): string {
  if (typeof value === 'string') return value
  throw new Error(`text was expected, not ${typeof value}`)
}

function requireNumber(value: Value): number {
  if (typeof value === 'number') return value
  throw new Error(`a number was expected, not ${typeof value}`)
}
