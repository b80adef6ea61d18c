import {
  BusError,
  type BusType,
  type BusValue,
  computeAlignment,
  computePadding,
  parseSignature,
  type Variant,
} from './bus-types.ts'
import { takeValues } from './take-values.ts'

/**
 * Encodes values as bytes, little-endian.
 * @param at The position of the values in the message, which decides their alignment.
 */
export function encodeValues(signature: string, values: readonly BusValue[], at = 0): Buffer {
  return encodeAll(parseSignature(signature), values, at)
}

function encodeAll(types: readonly BusType[], values: readonly BusValue[], start: number): Buffer {
  const parts: Buffer[] = []
  let at = start
  for (const [index, type] of types.entries()) {
    const padding = Buffer.alloc(computePadding(at, computeAlignment(type)))
    const bytes = encodeValue(type, values[index]!, at + padding.length)
    parts.push(padding, bytes)
    at += padding.length + bytes.length
  }
  return Buffer.concat(parts)
}

/** Encodes a value, which has the type that the signature names, because only our own calls are encoded. */
function encodeValue(type: BusType, value: BusValue, at: number): Buffer {
  switch (type.code) {
    case 'v':
      return encodeVariant(value as Variant, at)
    case 'a':
      return encodeArray(type.element, value as Buffer | readonly BusValue[], at)
    case '(':
    case '{':
      return encodeAll(type.members, value as readonly BusValue[], at)
    case 's':
    case 'o':
      return encodeText(value as string)
    case 'g':
      return encodeSignature(value as string)
    case 'y':
      return Buffer.from([value as number])
    case 'b':
    case 'u':
      return encodeNumber(Number(value))
    default:
      throw new TypeError(`no call of ours sends the type ${type.code}`)
  }
}

function encodeSignature(signature: string): Buffer {
  return Buffer.from([signature.length, ...Buffer.from(signature), 0])
}

function encodeNumber(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function encodeVariant({ signature, value }: Variant, at: number): Buffer {
  const head = encodeSignature(signature)
  return Buffer.concat([head, encodeValues(signature, [value], at + head.length)])
}

/**
 * Encodes an array. Its length includes neither the length field nor the padding before the first element (D-Bus Specification,
 * "Marshalling (Wire Format)").
 */
function encodeArray(element: BusType, value: Buffer | readonly BusValue[], at: number): Buffer {
  const padding = Buffer.alloc(computePadding(at + 4, computeAlignment(element)))
  const start = at + 4 + padding.length
  const bytes = Buffer.isBuffer(value)
    ? value
    : encodeAll(
        value.map(() => element),
        value,
        start,
      )
  return Buffer.concat([encodeNumber(bytes.length), padding, bytes])
}

function encodeText(text: string): Buffer {
  const bytes = Buffer.from(text)
  return Buffer.concat([encodeNumber(bytes.length), bytes, Buffer.alloc(1)])
}

/** A call of a method on the session bus (D-Bus specification, "Message Types"). */
export interface BusCall {
  readonly destination: string
  readonly path: string
  readonly interface: string
  readonly member: string
  /** The signature of its arguments. */
  readonly signature: string
  readonly values: readonly BusValue[]
}

/** A message from the bus. A text that its header does not carry is empty. */
export interface BusMessage {
  readonly kind: 'call' | 'return' | 'error' | 'signal' | 'unknown'
  readonly path: string
  readonly interface: string
  readonly member: string
  readonly errorName: string
  /** The unique name of the sender, which the bus itself writes. */
  readonly sender: string
  readonly signature: string
  /** The serial of the call that the message answers; 0 if it is not an answer. */
  readonly replySerial: number
  /** Decodes the values of the body. @throws {BusError} `broken` if they do not match the signature. */
  decodeValues(): BusValue[]
}

/** The kinds of messages, by their numbers. */
const kinds = ['unknown', 'call', 'return', 'error', 'signal'] as const

/** Codes of header fields. */
const fields = {
  path: 1,
  interface: 2,
  member: 3,
  errorName: 4,
  replySerial: 5,
  destination: 6,
  sender: 7,
  signature: 8,
} as const

/** The flag `NO_AUTO_START`: the call starts no service. */
const startNothing = 0x2

/** Encodes a call. @param serial Not 0, and new for each message of a connection. */
export function encodeCall(call: BusCall, serial: number): Buffer {
  const { path, destination, member, signature } = call
  const texts: [number, string, string][] = [
    [fields.path, 'o', path],
    [fields.destination, 's', destination],
    [fields.interface, 's', call.interface],
    [fields.member, 's', member],
    ...(signature ? [[fields.signature, 'g', signature] satisfies [number, string, string]] : []),
  ]
  const body = encodeValues(signature, call.values)
  const header = texts.map(([code, type, value]) => [code, { signature: type, value }])
  const order = 'l'.charCodeAt(0)
  const head = encodeValues('yyyyuua(yv)', [order, 1, startNothing, 1, body.length, serial, header])
  return Buffer.concat([head, Buffer.alloc(computePadding(head.length, 8)), body])
}

/** In bytes: the part of the header that every message has. It ends with the length of the header fields. */
const fixedBytes = 16

/** In bytes: far more than any expected answer, and less than the 128 MiB of the D-Bus Specification ("Message Format"). Our decision. */
const longestMessageBytes = 1_048_576

/**
 * Computes the length of the message at the beginning of these bytes; `undefined` if there are too few bytes.
 * @throws {BusError} `broken` if this is not a message, or too long.
 */
export function measureMessage(bytes: Buffer): number | undefined {
  if (bytes.length < fixedBytes) return undefined
  const order = parseByteOrder(bytes)
  const [bodyLength, , fieldsLength] = takeValues('uuu', { bytes, order, at: 4 }) as number[]
  const headerLength = fixedBytes + fieldsLength!
  const length = headerLength + computePadding(headerLength, 8) + bodyLength!
  if (length > longestMessageBytes) throw new BusError('broken', 'a message is too long')
  return length
}

/** Parses a whole message. @throws {BusError} `broken` if it is not a message. */
export function parseMessage(bytes: Buffer): BusMessage {
  const order = parseByteOrder(bytes)
  const head = { bytes, order, at: 0 } as const
  const source = { ...head }
  const [, kind, , , , , header] = takeValues('yyyyuua(yv)', source)
  const found = new Map((header as [number, Variant][]).map(([code, { value }]) => [code, value]))
  const text = (code: number) => {
    const value = found.get(code)
    return typeof value === 'string' ? value : ''
  }
  const signature = text(fields.signature)
  const bodyStart = source.at + computePadding(source.at, 8)
  return {
    kind: kinds[kind as number] ?? 'unknown',
    path: text(fields.path),
    interface: text(fields.interface),
    member: text(fields.member),
    errorName: text(fields.errorName),
    sender: text(fields.sender),
    signature,
    replySerial: Number(found.get(fields.replySerial) ?? 0),
    decodeValues: () => takeValues(signature, { bytes, order, at: bodyStart }),
  }
}

function parseByteOrder(bytes: Buffer): 'little' | 'big' {
  const [order, , , version] = bytes
  if (version !== 1) throw new BusError('broken', 'a message is of another version of D-Bus')
  if (order === 'l'.charCodeAt(0)) return 'little'
  if (order === 'B'.charCodeAt(0)) return 'big'
  throw new BusError('broken', 'a message has no byte order')
}
