import { BusError } from './bus-error.ts'

/** A value of the D-Bus type system: integers of 64 bits are `bigint`, `ay` is a `Buffer`, a struct or a dictionary's entry an array. */
export type BusValue = number | bigint | boolean | string | Buffer | Variant | readonly BusValue[]

/** A value with its own type. */
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

/** In bytes; numbers are aligned to their size. Of a text, the size of its length. */
export const sizes = { y: 1, b: 4, n: 2, q: 2, i: 4, u: 4, x: 8, t: 8, d: 8, h: 4, s: 4, o: 4, g: 1 } as const

/** The alignment of a type, in bytes. */
export function computeAlignment({ code }: BusType): number {
  if (code === '(' || code === '{') return 8
  if (code === 'a') return 4
  return code === 'v' ? 1 : sizes[code]
}

/** How far a place is from the next that is aligned. */
export function computePadding(at: number, alignment: number): number {
  return (alignment - (at % alignment)) % alignment
}

/** Containers in containers, as the specification limits them (32 arrays and 32 structs), counted together. */
export const deepest = 64

/** Parses a signature. @throws {BusError} `broken` where it is none. */
export function parseSignature(signature: string): BusType[] {
  const types: BusType[] = []
  for (let at = 0; at < signature.length; ) {
    const { type, end } = parseType(signature, at, 0)
    types.push(type)
    at = end
  }
  return types
}

interface Parsed<T> {
  readonly type: T
  readonly end: number
}

function parseType(signature: string, at: number, depth: number): Parsed<BusType> {
  const code = signature[at] ?? ''
  if (depth > deepest) throw refuse()
  if (code === 'v' || isBasic(code)) return { type: { code }, end: at + 1 }
  if (code === 'a') {
    const parse = signature[at + 1] === '{' ? parseEntry : parseType
    const { type, end } = parse(signature, at + 1, depth + 1)
    return { type: { code, element: type }, end }
  }
  if (code !== '(') throw refuse()
  const { type, end } = parseMembers(signature, at + 1, { closing: ')', depth: depth + 1 })
  if (type.length === 0) throw refuse()
  return { type: { code, members: type }, end }
}

/** Only an array may contain it. */
function parseEntry(signature: string, at: number, depth: number): Parsed<BusType> {
  const { type, end } = parseMembers(signature, at + 1, { closing: '}', depth: depth + 1 })
  if (type.length !== 2 || !isBasic(type[0]!.code)) throw refuse()
  return { type: { code: '{', members: type }, end }
}

function parseMembers(
  signature: string,
  start: number,
  { closing, depth }: { readonly closing: string; readonly depth: number },
): Parsed<BusType[]> {
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

function refuse(): BusError {
  return new BusError('broken', 'a signature is malformed')
}
