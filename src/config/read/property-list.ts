import { parseBinary } from 'plist'
import { maxDepth } from '../../runtime/values/json-text.ts'
import { describeType, isObject, type RawObject } from '../../runtime/values/json-value.ts'
import { joinPath, noPositions, type Positions } from '../../runtime/values/position.ts'
import { vendor } from '../../vendor.ts'
import { flatKeys } from '../fields.ts'
import { createFinding, type Finding, type Raw } from '../finding.ts'
import { isBinaryPlist, isSigned } from './container.ts'
import { type ParsedValue, reportTooDeep } from './json.ts'
import { parseXmlPlist, reportBrokenPropertyList } from './xml-plist.ts'

/** Parses a property list into its managed preferences. The list is a configuration profile or only the preferences. */
export function parsePropertyList(bytes: Uint8Array): Raw {
  if (isSigned(bytes)) return { entries: undefined, findings: [reportSignedProfile()] }
  const { value, findings, positions } = isBinaryPlist(bytes) ? parseBinaryPlist(bytes) : parseXmlPlist(bytes)
  if (value === undefined) return { entries: undefined, findings }
  if (!isObject(value)) {
    const found = `expected a dictionary, found ${describeType(value)}`
    return {
      entries: undefined,
      findings: [...findings, createFinding('not-an-object', '', found, 'put the keys into one <dict>')],
    }
  }
  const payload = Array.isArray(value.PayloadContent)
    ? selectPayload(value.PayloadContent)
    : { entries: value, findings: [], prefix: '' }
  const native = Object.entries(payload.entries ?? {}).flatMap(([key, raw]) => reportNativeValue(key, raw))
  return {
    entries: payload.entries,
    findings: [...findings, ...payload.findings, ...native],
    positions: stripPrefix(positions, payload.prefix),
  }
}

function reportSignedProfile(): Finding {
  return createFinding(
    'signed-profile',
    '',
    'it is a signed profile',
    'remove the signature: `security cms -D -i signed.mobileconfig -o plain.mobileconfig` (macOS), or `openssl smime -verify -noverify -inform DER -in signed.mobileconfig -out plain.mobileconfig`',
  )
}

interface Payload extends Raw {
  /** The beginning of its values' paths in the whole list. */
  readonly prefix: string
}

/** Parses a binary property list; `value` is `undefined` if the list is broken or too large. */
function parseBinaryPlist(bytes: Uint8Array): ParsedValue {
  try {
    if (!(countValues(bytes) <= maxValues))
      return { value: undefined, findings: [reportTooDeep()], positions: noPositions }
    return { value: removePrototypes(parseBinary(bytes)), findings: [], positions: noPositions }
  } catch (cause) {
    return { value: undefined, findings: [reportBrokenPropertyList(cause)], positions: noPositions }
  }
}

/** More values than any document has. Our decision. */
const maxValues = 100_000

/** Selects the payload of the client's own type, otherwise a payload of another type with the client's keys. */
function selectPayload(content: readonly unknown[]): Payload {
  const payloads = content.filter(isObject)
  const prefixOf = (payload: RawObject) => `PayloadContent[${content.indexOf(payload)}].`
  const own = payloads.find((payload) => payload.PayloadType === vendor.macosPayloadType)
  if (own) return { entries: removePayloadKeys(own), findings: [], prefix: prefixOf(own) }
  const expected = `the client reads payloads of the type ${vendor.macosPayloadType} only`
  const other = payloads.find((payload) => flatKeys.some((key) => Object.hasOwn(payload, key)))
  if (!other)
    return {
      entries: undefined,
      findings: [
        createFinding(
          'payload-missing',
          'PayloadContent',
          `${expected}, and there is none`,
          `add a payload of the type ${vendor.macosPayloadType}`,
        ),
      ],
      prefix: '',
    }
  return {
    entries: removePayloadKeys(other),
    findings: [
      createFinding(
        'other-payload-type',
        'PayloadType',
        expected,
        `set this payload's PayloadType to ${vendor.macosPayloadType}`,
      ),
    ],
    prefix: prefixOf(other),
  }
}

/** Removes the keys that describe the payload itself, such as `PayloadUUID`. */
function removePayloadKeys(payload: RawObject): RawObject {
  return Object.fromEntries(Object.entries(payload).filter(([key]) => !/^Payload[A-Z]/.test(key)))
}

function reportNativeValue(key: string, raw: unknown): Finding[] {
  if (typeof raw === 'string') return []
  const hint =
    isObject(raw) || Array.isArray(raw) ? 'write it as one <string> that holds JSON' : 'write it as a <string>'
  return [
    createFinding(
      'native-value',
      joinPath('', key),
      `it is ${describeType(raw)}, which older clients do not read: managed values are text`,
      hint,
    ),
  ]
}

/** Adds the paths without the payload's prefix, because most findings use those. */
function stripPrefix(positions: Positions, prefix: string): Positions {
  const inside = [...positions].filter(([path]) => path.startsWith(prefix))
  return new Map([...positions, ...inside.map(([path, at]) => [path.slice(prefix.length), at] as const)])
}

/**
 * Counts the values to which the list expands; infinite if it is too deep or contains itself. Values refer to each other by number, so a
 * few hundred bytes can expand to billions of values, and the parser follows every reference.
 */
function countValues(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const trailer = view.byteLength - 32
  const [offsetSize, referenceSize] = [view.getUint8(trailer + 6), view.getUint8(trailer + 7)]
  const [top, table] = [parseInteger(view, trailer + 16, 8), parseInteger(view, trailer + 24, 8)]
  const counted = new Map<number, number>()

  function count(index: number, depth: number): number {
    if (depth > maxDepth) return Number.POSITIVE_INFINITY
    const earlier = counted.get(index)
    if (earlier !== undefined) return earlier
    counted.set(index, Number.POSITIVE_INFINITY)
    const { at, length } = parseReferences(view, parseInteger(view, table + index * offsetSize, offsetSize))
    let total = 1
    for (let item = 0; item < length && total <= maxValues; item++) {
      total += count(parseInteger(view, at + item * referenceSize, referenceSize), depth + 1)
    }
    counted.set(index, total)
    return total
  }
  return count(top, 1)
}

/** Parses the offset and the number of the references of an array or a dictionary; any other value has none. */
function parseReferences(view: DataView, offset: number): { at: number; length: number } {
  const marker = view.getUint8(offset)
  const perItem = { 10: 1, 13: 2 }[marker >> 4] ?? 0
  if ((marker & 15) !== 15 || perItem === 0) return { at: offset + 1, length: (marker & 15) * perItem }
  const size = 1 << (view.getUint8(offset + 1) & 15)
  return { at: offset + 2 + size, length: parseInteger(view, offset + 2, size) * perItem }
}

function parseInteger(view: DataView, offset: number, size: number): number {
  let value = 0
  for (let byte = 0; byte < size; byte++) value = value * 256 + view.getUint8(offset + byte)
  return value
}

/** Copies own properties only, because the parser makes the value of a key `__proto__` the prototype. */
function removePrototypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(removePrototypes)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, removePrototypes(inner)]))
}
