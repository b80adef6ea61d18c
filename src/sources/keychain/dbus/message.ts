import { BusError } from './bus-error.ts'
import { type BusValue, computePadding, type Variant } from './bus-types.ts'
import { decodeValues } from './decode-values.ts'
import { encodeValues } from './encode-values.ts'

/** A call of a method. */
export interface BusCall {
  readonly destination: string
  readonly path: string
  readonly interface: string
  readonly member: string
  /** Of its arguments. */
  readonly signature: string
  readonly values: readonly BusValue[]
}

/** A message that was received. */
export interface BusMessage {
  readonly kind: 'call' | 'return' | 'error' | 'signal' | 'unknown'
  readonly path: string
  readonly interface: string
  readonly member: string
  readonly errorName: string
  /** The unique name of the program that sent it, which the bus itself writes. */
  readonly sender: string
  readonly signature: string
  /** The call that it answers; 0 for none. */
  readonly replySerial: number
  /** @throws {BusError} `broken` where they are not as the signature says. */
  readValues(): BusValue[]
}

/** Kinds of messages by their number. */
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

/** Flags of a call: nothing is started for it (`NO_AUTO_START`). */
const startNothing = 0x2

/** A call as bytes. @param serial Not 0, and new for each message of a connection. */
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

/** Up to the length of the header's fields, which every message has. */
const fixedBytes = 16

/** In bytes: far more than any answer that we ask for. The specification allows 128 MiB. */
const largestMessage = 1_048_576

/**
 * How long the message is that these bytes begin with; `undefined` where there are too few to know.
 * @throws {BusError} `broken` for a message that is none, or too long.
 */
export function measureMessage(bytes: Buffer): number | undefined {
  if (bytes.length < fixedBytes) return undefined
  const order = readOrder(bytes)
  const [bodyLength, , fieldsLength] = decodeValues('uuu', { bytes, order, at: 4 }) as number[]
  const headerLength = fixedBytes + fieldsLength!
  const length = headerLength + computePadding(headerLength, 8) + bodyLength!
  if (length > largestMessage) throw new BusError('broken', 'a message is too long')
  return length
}

/** Parses a whole message. @throws {BusError} `broken` where it is none. */
export function parseMessage(bytes: Buffer): BusMessage {
  const order = readOrder(bytes)
  const head = { bytes, order, at: 0 } as const
  const source = { ...head }
  const [, kind, , , , , header] = decodeValues('yyyyuua(yv)', source)
  const found = new Map((header as [number, Variant][]).map(([code, { value }]) => [code, value]))
  const text = (code: number) => {
    const value = found.get(code)
    return typeof value === 'string' ? value : ''
  }
  const signature = text(fields.signature)
  const bodyStart = source.at + computePadding(source.at, 8)
  return {
    ...{ kind: kinds[kind as number] ?? 'unknown', path: text(fields.path), interface: text(fields.interface) },
    ...{ member: text(fields.member), errorName: text(fields.errorName), sender: text(fields.sender), signature },
    replySerial: Number(found.get(fields.replySerial) ?? 0),
    readValues: () => decodeValues(signature, { bytes, order, at: bodyStart }),
  }
}

function readOrder(bytes: Buffer): 'little' | 'big' {
  const [order, , , version] = bytes
  if (version !== 1) throw new BusError('broken', 'a message is of another version of D-Bus')
  if (order === 'l'.charCodeAt(0)) return 'little'
  if (order === 'B'.charCodeAt(0)) return 'big'
  throw new BusError('broken', 'a message has no byte order')
}
