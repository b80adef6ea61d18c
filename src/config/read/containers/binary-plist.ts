import { parseBinary } from 'plist'
import { maxDepth } from '../../../runtime/json/json-text.ts'
import { isRecord } from '../../../runtime/json/json-value.ts'
import { noPositions } from '../../../runtime/json/position.ts'
import { reportTooDeep } from './json.ts'
import { type ParsedList, reportBrokenPropertyList } from './xml-plist.ts'

/** Reads a binary property list; `value` is `undefined` when it is broken or too large. */
export function parseBinaryPlist(bytes: Uint8Array): ParsedList {
  try {
    if (!(countValues(bytes) <= maxValues))
      return { value: undefined, findings: [reportTooDeep()], positions: noPositions }
    return { value: removePrototypes(parseBinary(bytes)), findings: [], positions: noPositions }
  } catch (cause) {
    return { value: undefined, findings: [reportBrokenPropertyList(cause)], positions: noPositions }
  }
}

/** More values than any document has; the limit is our decision. */
const maxValues = 100_000

/**
 * How many values the list expands to; infinite when it is too deep or contains itself. Values refer to each other by
 * number, so a few hundred bytes can expand to billions of values, and the parser follows every reference.
 */
function countValues(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const trailer = view.byteLength - 32
  const [offsetSize, referenceSize] = [view.getUint8(trailer + 6), view.getUint8(trailer + 7)]
  const [top, table] = [readInteger(view, trailer + 16, 8), readInteger(view, trailer + 24, 8)]
  const counted = new Map<number, number>()

  function count(index: number, depth: number): number {
    if (depth > maxDepth) return Number.POSITIVE_INFINITY
    const earlier = counted.get(index)
    if (earlier !== undefined) return earlier
    counted.set(index, Number.POSITIVE_INFINITY)
    const { at, length } = findReferences(view, readInteger(view, table + index * offsetSize, offsetSize))
    let total = 1
    for (let item = 0; item < length && total <= maxValues; item++) {
      total += count(readInteger(view, at + item * referenceSize, referenceSize), depth + 1)
    }
    counted.set(index, total)
    return total
  }
  return count(top, 1)
}

/** Where an array's or dictionary's references begin, and how many there are; none for any other value. */
function findReferences(view: DataView, offset: number): { at: number; length: number } {
  const marker = view.getUint8(offset)
  const perItem = { 10: 1, 13: 2 }[marker >> 4] ?? 0
  if ((marker & 15) !== 15 || perItem === 0) return { at: offset + 1, length: (marker & 15) * perItem }
  const size = 1 << (view.getUint8(offset + 1) & 15)
  return { at: offset + 2 + size, length: readInteger(view, offset + 2, size) * perItem }
}

function readInteger(view: DataView, offset: number, size: number): number {
  let value = 0
  for (let byte = 0; byte < size; byte++) value = value * 256 + view.getUint8(offset + byte)
  return value
}

/** Copies own properties only, because the parser turns a key `__proto__` into a prototype. */
function removePrototypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(removePrototypes)
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, removePrototypes(inner)]))
}
