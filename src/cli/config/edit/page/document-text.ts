// Folder: the page itself, which runs in a browser: the edited text, the fields and the other parts.

import {
  applyEdits,
  type FormattingOptions,
  findNodeAtLocation,
  modify,
  type Node,
  type ParseError,
  parse,
  parseTree,
} from 'jsonc-parser'
import { findMember, isObject } from '../../../../runtime/values/json-value.ts'

/** The place of a value in the text. */
export interface WrittenLocation {
  readonly keys: readonly string[]
  /** `managed`: every value at the top is a text, which is JSON for a number, a boolean, a list or an object. */
  readonly encoding: 'native' | 'managed'
}

/** Parses a text with comments as an object; `undefined` for invalid text. */
export function parseObjectText(text: string): Record<string, unknown> | undefined {
  const errors: ParseError[] = []
  const value: unknown = parse(text, errors, { allowTrailingComma: true })
  return errors.length === 0 && isObject(value) ? value : undefined
}

/** Finds the value as it is written; `undefined` without one. */
export function findWritten(object: Record<string, unknown> | undefined, { keys, encoding }: WrittenLocation): unknown {
  const [first = '', ...rest] = keys
  const outer = findIn(object, [first])
  if (encoding === 'native' || rest.length === 0) return findIn(object, keys)
  return findIn(typeof outer === 'string' ? parseObjectText(outer) : outer, rest)
}

function findIn(value: unknown, keys: readonly string[]): unknown {
  return keys.reduce<unknown>(findMember, value)
}

/** Decodes the value of a field from its managed text, unless the field itself is text; a text that is not JSON stays. */
export function decodeManaged(written: unknown): unknown {
  if (typeof written !== 'string') return written
  try {
    return JSON.parse(written)
  } catch {
    return written
  }
}

/**
 * Sets a value in the text, or removes it if it is `undefined`, with the smallest change: comments, order and indentation stay. An object
 * that becomes empty is removed, unless it is `inference`.
 */
export function changeValue(text: string, location: WrittenLocation, value: unknown): string {
  const { keys, encoding } = location
  if (encoding === 'native') return changeNative(text, keys, value)
  const [first = '', ...rest] = keys
  const encoded = typeof value === 'string' || value === undefined ? value : JSON.stringify(value)
  if (rest.length === 0) return changeNative(text, [first], encoded)
  const outer = findIn(parseObjectText(text), [first])
  const inner = changeNative(typeof outer === 'string' && parseObjectText(outer) ? outer : '{}', rest, value)
  return changeNative(text, [first], inner === '{}' ? undefined : inner)
}

function changeNative(text: string, keys: readonly string[], value: unknown): string {
  const changed = setSingle(text, keys, value)
  const outer = keys.slice(0, -1)
  const around = findIn(parseObjectText(changed), outer)
  const isLeftEmpty = isObject(around) && Object.keys(around).length === 0
  const isKept = outer.length === 0 || (outer.length === 1 && outer[0] === 'inference')
  return value === undefined && isLeftEmpty && !isKept ? changeNative(changed, outer, undefined) : changed
}

/** Readers use the last occurrence of a key, so earlier ones are removed first. */
function setSingle(text: string, keys: readonly string[], value: unknown): string {
  let current = text
  for (;;) {
    if (findIn(parseObjectText(current), keys) === undefined)
      return value === undefined ? current : setValue(current, keys, value)
    const without = setValue(current, keys, undefined)
    if (findIn(parseObjectText(without), keys) === undefined)
      return value === undefined ? without : replaceValue(current, keys, value)
    current = without
  }
}

/** Adds a value on its own line, or removes one with its line, unless the surrounding text is on one line. */
function setValue(text: string, keys: readonly string[], value: unknown): string {
  const depth = keys.findLastIndex((_, at) => findNode(text, keys.slice(0, at)) !== undefined)
  const around = findNode(text, keys.slice(0, depth))
  const isInline = around?.children?.length !== 0 && !selectNodeText(text, around).includes('\n')
  const formattingOptions = isInline ? undefined : detectFormatting(text)
  return applyEdits(text, modify(text, [...keys], value, formattingOptions ? { formattingOptions } : {}))
}

/** Replaces a value; a value on one line stays on one line. */
function replaceValue(text: string, keys: readonly string[], value: unknown): string {
  const node = findNode(text, keys)
  const old = selectNodeText(text, node)
  const formattingOptions = detectFormatting(text)
  if (node === undefined || old.includes('\n') || typeof value !== 'object' || value === null)
    return applyEdits(
      text,
      modify(text, [...keys], value, old.includes('\n') && formattingOptions ? { formattingOptions } : {}),
    )
  return `${text.slice(0, node.offset)}${renderInline(value, old)}${text.slice(node.offset + node.length)}`
}

/** Renders a list or an object on one line, with blanks where the old one had them. JSON texts contain no line breaks. */
function renderInline(value: object, old: string): string {
  const spread = JSON.stringify(value, undefined, 1)
  if (!/[,:] /.test(old) && !/^[[{] /.test(old)) return JSON.stringify(value)
  const inline = spread.replace(/\n\s*/g, ' ')
  return /^[[{] /.test(old) ? inline : inline.replace(/^([[{]) /, '$1').replace(/ ([\]}])$/, '$1')
}

function findNode(text: string, keys: readonly string[]): Node | undefined {
  const root = parseTree(text, [], { allowTrailingComma: true })
  return root && findNodeAtLocation(root, [...keys])
}

function selectNodeText(text: string, node: Node | undefined): string {
  return node === undefined ? '' : text.slice(node.offset, node.offset + node.length)
}

/** Detects the indentation and the line ends of a text; `undefined` for a text on one line, which stays so. */
function detectFormatting(text: string): FormattingOptions | undefined {
  const [, indent] = /\n([ \t]+)\S/.exec(text) ?? []
  if (indent === undefined && !text.trim().includes('\n') && text.trim() !== '{}') return undefined
  const isTabs = indent?.startsWith('\t') ?? false
  return {
    insertSpaces: !isTabs,
    tabSize: isTabs ? 4 : (indent?.length ?? 2),
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  }
}

/** A text that two programs have changed, with both changes. */
interface MergedText {
  readonly text: string
  /** The paths that both changed differently; the text has `mine`. */
  readonly conflicts: readonly string[]
}

/** Applies the changes from `base` to `mine` to `theirs`, value by value; `undefined` if one of them is invalid. */
export function mergeTexts(base: string, mine: string, theirs: string): MergedText | undefined {
  const [old, own, other] = [base.trim() === '' ? '{}' : base, mine, theirs].map(parseObjectText)
  if (!old || !own || !other) return undefined
  const changes = listChanges(old, own, [])
  const others = listChanges(old, other, [])
  const conflicts = changes.filter(({ keys, value }) =>
    others.some((change) => isAround(keys, change.keys) && JSON.stringify(change.value) !== JSON.stringify(value)),
  )
  const text = changes.reduce(
    (changed, { keys, value }) => changeValue(changed, { keys, encoding: 'native' }, value),
    theirs,
  )
  return { text, conflicts: conflicts.map(({ keys }) => keys.join('.')) }
}

interface ValueChange {
  readonly keys: readonly string[]
  readonly value: unknown
}

function listChanges(before: unknown, after: unknown, keys: readonly string[]): ValueChange[] {
  if (isObject(before) && isObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    return names.flatMap((name) => listChanges(findIn(before, [name]), findIn(after, [name]), [...keys, name]))
  }
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ keys, value: after }]
}

/** Returns whether one of two values contains the other, or equals it. */
function isAround(one: readonly string[], other: readonly string[]): boolean {
  return one.slice(0, other.length).join('\n') === other.slice(0, one.length).join('\n')
}

/** The text, its earlier versions, and the undone ones. */
export interface TextHistory {
  readonly text: string
  readonly past: readonly string[]
  readonly future: readonly string[]
  /** The name of the present step: changes with the same name are undone together. */
  readonly step: string
}

/** Creates a history that begins with a text. */
export function createHistory(text: string): TextHistory {
  return { text, past: [], future: [], step: '' }
}

/**
 * Adds a change.
 * @param step The name of the edited object, such as a field, while a person types; empty for a single change.
 */
export function addChange(history: TextHistory, text: string, step: string): TextHistory {
  if (text === history.text) return history
  const isSame = step !== '' && step === history.step
  return { text, past: isSame ? history.past : [...history.past, history.text], future: [], step }
}

/** Ends the step: the next change is undone separately. */
export function endStep(history: TextHistory): TextHistory {
  return history.step === '' ? history : { ...history, step: '' }
}

/** Undoes one step, if there is one. */
export function restorePast({ text, past, future, step }: TextHistory): TextHistory {
  const last = past.at(-1)
  if (last === undefined) return { text, past, future, step }
  return { text: last, past: past.slice(0, -1), future: [text, ...future], step: '' }
}

/** Redoes one step, if there is one. */
export function restoreFuture({ text, past, future, step }: TextHistory): TextHistory {
  const [next, ...rest] = future
  if (next === undefined) return { text, past, future, step }
  return { text: next, past: [...past, text], future: rest, step: '' }
}
