// Parses JSON that people write: its value, the position of each part, and its problems in words.

import { type ParseError, parse, visit } from 'jsonc-parser'
import { decodeText, findUtf16Encoding, hasUtf8Mark } from '../text/decode-text.ts'
import { describeType } from './json-value.ts'
import { joinPath, type Position, type Positions } from './position.ts'

/** Decodes strict UTF-8. UTF-16, which PowerShell writes, is reported with a message of its own. */
export function decodeUtf8(bytes: Uint8Array): { readonly text: string; readonly hasMark: boolean } | EncodingProblem {
  if (findUtf16Encoding(bytes)) {
    const hint = 'save it as UTF-8 (in PowerShell 7: `Set-Content -Encoding utf8NoBOM`)'
    return { problem: 'utf16', message: 'it is UTF-16; JSON is UTF-8', hint }
  }
  const text = decodeText(bytes)
  if (text !== undefined) return { text, hasMark: hasUtf8Mark(bytes) }
  return { problem: 'not-utf8', message: 'it has bytes that are not UTF-8', hint: 'save it as UTF-8' }
}

/** Why bytes are not UTF-8, and the hint. */
interface EncodingProblem {
  readonly problem: 'utf16' | 'not-utf8'
  readonly message: string
  readonly hint: string
}

/** The finding about a byte-order mark, which is removed. */
export const markProblem = {
  message: 'it begins with a UTF-8 byte-order mark, which some readers refuse',
  hint: 'save it as UTF-8 without a mark',
} as const

/** The finding about the key `__proto__`, which could change the prototype of an object; it is left out everywhere. */
export const reservedKeyProblem = { message: 'this key is never read', hint: 'remove it' } as const

/** The most levels of objects and arrays that are read; our decision. */
export const maxDepth = 64

/** The result of parsing a text: its value, or the problem. */
export type JsonText =
  | {
      /** The value without members named `__proto__`, so that no later copy of an object can turn one into a prototype. */
      readonly value: unknown
      readonly positions: Positions
      /** The keys that some readers interpret differently, by their path, in their order. */
      readonly oddKeys: readonly { readonly path: string; readonly problem: 'duplicate' | 'reserved' }[]
    }
  | { readonly problem: 'empty' | 'html-page' | 'too-deep' }
  /** The position of the first error. */
  | { readonly problem: 'not-json'; readonly at: Position }

/** A problem in the form of a finding. Every kind of finding has these codes. */
interface JsonProblem {
  readonly code: 'empty-file' | 'html-page' | 'too-deep' | 'not-json' | 'not-an-object'
  readonly message: string
  readonly hint: string
  readonly line?: number
  readonly column?: number
}

/** The facts about a kind of file for messages: its name, and the levels of nesting that it needs. */
export interface JsonFileKind {
  readonly noun: string
  readonly levels: number
}

/** Describes why a text is not JSON, for its writer. */
export function describeJsonProblem(
  unreadable: Extract<JsonText, { problem: string }>,
  { noun, levels }: JsonFileKind,
): JsonProblem {
  switch (unreadable.problem) {
    case 'empty':
      return { code: 'empty-file', message: 'it is empty', hint: 'write a JSON object' }
    case 'html-page': {
      const hint = `fetch the ${noun} itself: such a page comes from a sign-in or from a proxy on the way`
      return { code: 'html-page', message: `it is a web page, not a ${noun}`, hint }
    }
    case 'too-deep': {
      const hint = `remove the nesting: a ${noun} needs ${levels}`
      return { code: 'too-deep', message: `it is nested deeper than ${maxDepth} levels`, hint }
    }
    case 'not-json': {
      const { line, column } = unreadable.at
      const hint =
        'fix the syntax there: a missing comma or quote, a typographic quote, a comment, a comma before a closing bracket'
      return { code: 'not-json', message: `it is not JSON: line ${line}, column ${column}`, hint, line, column }
    }
  }
}

/** Describes a JSON value that such files do not hold, for its writer. */
export function describeOtherValue(value: unknown): JsonProblem {
  const message = `expected a JSON object, found ${describeType(value)}`
  return { code: 'not-an-object', message, hint: 'put the fields between { and }' }
}

/** Parses any JSON value. If a key is repeated in one object, the last occurrence counts. Never throws. */
export function parseJsonText(text: string): JsonText {
  if (text.trim() === '') return { problem: 'empty' }
  if (isHtml(text)) return { problem: 'html-page' }
  if (isTooDeep(text)) return { problem: 'too-deep' }
  const value = parseIfJson(text)
  return value === undefined ? { problem: 'not-json', at: locateSyntaxError(text) } : { value, ...examineKeys(text) }
}

/** Returns whether the text is HTML, such as a sign-in page or an error page instead of a document. */
function isHtml(text: string): boolean {
  return /^\s*<(!doctype\s+html|html)\b/i.test(text)
}

/** Returns whether the nesting is too deep, counted without recursion before any parser runs, so that none overflows its stack. */
function isTooDeep(text: string): boolean {
  const closers: string[] = []
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (inString && character === '\\') at++
    else if (character === '"') inString = !inString
    else if (inString) continue
    else if (character === '{') closers.push('}')
    else if (character === '[') closers.push(']')
    else if (character === closers.at(-1)) closers.pop()
    if (closers.length > maxDepth) return true
  }
  return false
}

/** Parses a text; `undefined` if it is not JSON, in which case the caller searches for the position of the error. */
function parseIfJson(text: string): unknown {
  try {
    return JSON.parse(text, (key, value: unknown) => (key === '__proto__' ? undefined : value))
  } catch {
    return undefined
  }
}

function locateSyntaxError(text: string): Position {
  const errors: ParseError[] = []
  parse(text, errors, { disallowComments: true })
  const before = text.slice(0, errors[0]?.offset ?? text.length).split(/\r\n|\r|\n/)
  return { line: before.length, column: before.at(-1)!.length + 1 }
}

type JsonKeys = Pick<Extract<JsonText, { oddKeys: unknown }>, 'positions' | 'oddKeys'>

/** Finds the positions of every key and item, and the keys that some readers interpret differently. */
function examineKeys(text: string): JsonKeys {
  const oddKeys: JsonKeys['oddKeys'][number][] = []
  const seen: Set<string>[] = []
  const positions = new Map<string, Position>()
  const noteItem = (keys: readonly (string | number)[], line: number, character: number) => {
    if (typeof keys.at(-1) === 'number') positions.set(toPath(keys), { line: line + 1, column: character + 1 })
  }
  visit(text, {
    onObjectBegin: (_offset, _length, line, character, pathOf) => {
      noteItem(pathOf(), line, character)
      seen.push(new Set())
    },
    onObjectEnd: () => void seen.pop(),
    onObjectProperty: (key, _offset, _length, line, character, pathOfParent) => {
      const path = toPath([...pathOfParent(), key])
      positions.set(path, { line: line + 1, column: character + 1 })
      if (key === '__proto__') oddKeys.push({ path, problem: 'reserved' })
      if (seen.at(-1)!.has(key)) oddKeys.push({ path, problem: 'duplicate' })
      seen.at(-1)!.add(key)
    },
    onLiteralValue: (_value, _offset, _length, line, character, pathOf) => noteItem(pathOf(), line, character),
  })
  return { positions, oddKeys }
}

function toPath(keys: readonly (string | number)[]): string {
  return keys.reduce<string>(joinPath, '')
}
