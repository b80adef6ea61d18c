/**
 * A problem on a bus. `absent`: no socket accepts a connection; `rejected`: the bus does not accept this user; `broken`: its data are not
 * D-Bus, or too much; `closed`: it ended the connection; `anonymous`: any user could listen at its address; `hung`: no answer in time;
 * `answer`: a method answered with an error.
 */
export type BusProblem = 'absent' | 'rejected' | 'anonymous' | 'broken' | 'closed' | 'hung' | 'answer'

/** A failure of a bus or of a program on it; the message is a sentence with "it" as its subject. */
export class BusError extends Error {
  readonly problem: BusProblem
  /** The name of the error that a method answered, such as `org.freedesktop.DBus.Error.AccessDenied`. */
  readonly errorName: string

  constructor(problem: BusProblem, message: string, errorName = '') {
    super(message)
    this.name = 'BusError'
    this.problem = problem
    this.errorName = errorName
  }
}

/** A value of the D-Bus type system: integers of 64 bits are `bigint`, `ay` is a `Buffer`, and a struct or a dictionary entry is an array. */
export type BusValue = number | bigint | boolean | string | Buffer | Variant | readonly BusValue[]

/** A value that carries its own type, as D-Bus properties do. */
export interface Variant {
  readonly signature: string
  readonly value: BusValue
}

/** One complete type of a signature (D-Bus Specification, "Type System"). */
export type BusType =
  | { readonly code: BasicCode | 'v' }
  | { readonly code: 'a'; readonly element: BusType }
  /** A struct, or the entry of a dictionary. */
  | { readonly code: '(' | '{'; readonly members: readonly BusType[] }

/** The codes of types that contain no other. */
export type BasicCode = keyof typeof sizes

/** The sizes of basic types in bytes. Numbers are aligned to their size. For a text, this is the size of its length field. */
export const sizes = { y: 1, b: 4, n: 2, q: 2, i: 4, u: 4, x: 8, t: 8, d: 8, h: 4, s: 4, o: 4, g: 1 } as const

/** Computes the alignment of a type, in bytes. */
export function computeAlignment({ code }: BusType): number {
  if (code === '(' || code === '{') return 8
  if (code === 'a') return 4
  return code === 'v' ? 1 : sizes[code]
}

/** Computes the padding in bytes before a value at this position. */
export function computePadding(at: number, alignment: number): number {
  return (alignment - (at % alignment)) % alignment
}

/** The deepest nesting of containers. The specification allows 32 arrays and 32 structs, which are counted together here. */
export const maxDepth = 64

/** Parses a signature. @throws {BusError} `broken` if it is malformed. */
export function parseSignature(signature: string): BusType[] {
  const types: BusType[] = []
  for (let at = 0; at < signature.length; ) {
    const { type, end } = parseType(signature, at, 0)
    types.push(type)
    at = end
  }
  return types
}

interface ParsedType<T> {
  readonly type: T
  readonly end: number
}

function parseType(signature: string, at: number, depth: number): ParsedType<BusType> {
  const code = signature[at] ?? ''
  if (depth > maxDepth) throw toFailure()
  if (code === 'v' || isBasic(code)) return { type: { code }, end: at + 1 }
  if (code === 'a') {
    const parse = signature[at + 1] === '{' ? parseEntry : parseType
    const { type, end } = parse(signature, at + 1, depth + 1)
    return { type: { code, element: type }, end }
  }
  if (code !== '(') throw toFailure()
  const { type, end } = parseMembers(signature, at + 1, { closing: ')', depth: depth + 1 })
  if (type.length === 0) throw toFailure()
  return { type: { code, members: type }, end }
}

/** Parses the entry of a dictionary, which only an array may contain. */
function parseEntry(signature: string, at: number, depth: number): ParsedType<BusType> {
  const { type, end } = parseMembers(signature, at + 1, { closing: '}', depth: depth + 1 })
  if (type.length !== 2 || !isBasic(type[0]!.code)) throw toFailure()
  return { type: { code: '{', members: type }, end }
}

function parseMembers(
  signature: string,
  start: number,
  { closing, depth }: { readonly closing: string; readonly depth: number },
): ParsedType<BusType[]> {
  const members: BusType[] = []
  let at = start
  while (signature[at] !== closing) {
    const { type, end } = parseType(signature, at, depth)
    members.push(type)
    at = end
  }
  return { type: members, end: at + 1 }
}

function isBasic(code: string): code is BasicCode {
  return Object.hasOwn(sizes, code)
}

function toFailure(): BusError {
  return new BusError('broken', 'a signature is malformed')
}
