import {
  type BusType,
  type BusValue,
  computeAlignment,
  computePadding,
  parseSignature,
  type Variant,
} from './bus-types.ts'

/**
 * Values as bytes, little-endian.
 * @param at Where they will stand in the message, by which they are aligned.
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

/** `value` has the type that the signature names: our own calls are the only callers. */
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
    case 'g': {
      const text = value as string
      return Buffer.from([text.length, ...Buffer.from(text), 0])
    }
    case 'y':
      return Buffer.from([value as number])
    case 'b':
    case 'u':
      return encodeNumber(Number(value))
    default:
      throw new TypeError(`no call of ours sends the type ${type.code}`)
  }
}

function encodeNumber(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function encodeText(text: string): Buffer {
  const bytes = Buffer.from(text)
  return Buffer.concat([encodeNumber(bytes.length), bytes, Buffer.alloc(1)])
}

function encodeVariant({ signature, value }: Variant, at: number): Buffer {
  const head = Buffer.from([signature.length, ...Buffer.from(signature), 0])
  return Buffer.concat([head, encodeValues(signature, [value], at + head.length)])
}

/** Its length counts neither itself nor the padding before the first element. */
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
