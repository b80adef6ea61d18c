import {
  type BasicCode,
  BusError,
  type BusType,
  type BusValue,
  computeAlignment,
  computePadding,
  maxDepth,
  parseSignature,
  sizes,
} from './bus-types.ts'

/** Decodes the values of a signature, and advances `at` past them. @throws {BusError} `broken` if they do not match the signature. */
export function takeValues(signature: string, source: BusBytes): BusValue[] {
  return parseSignature(signature).map((type) => takeValue(type, source, 0))
}

/** Bytes of a message, and how far they have been read. */
interface BusBytes {
  readonly bytes: Buffer
  readonly order: 'little' | 'big'
  at: number
}

function takeValue(type: BusType, source: BusBytes, depth: number): BusValue {
  if (depth > maxDepth) throw toFailure('values are nested too deeply')
  takeBytes(source, computePadding(source.at, computeAlignment(type)))
  switch (type.code) {
    case 'v': {
      const signature = takeText('g', source)
      const [inner, ...others] = parseSignature(signature)
      if (!inner || others.length > 0) throw toFailure('a variant is not of one type')
      return { signature, value: takeValue(inner, source, depth + 1) }
    }
    case 'a':
      return takeArray(type.element, source, depth)
    case '(':
    case '{':
      return type.members.map((member) => takeValue(member, source, depth + 1))
    case 's':
    case 'o':
    case 'g':
      return takeText(type.code, source)
    default:
      return takeNumber(type.code, source)
  }
}

function takeText(code: 's' | 'o' | 'g', source: BusBytes): string {
  const length = Number(takeNumber(code === 'g' ? 'y' : 'u', source))
  const text = takeBytes(source, length).toString('utf8')
  if (takeBytes(source, 1)[0] !== 0) throw toFailure('a text does not end where it should')
  return text
}

function takeArray(element: BusType, source: BusBytes, depth: number): BusValue {
  const length = Number(takeNumber('u', source))
  takeBytes(source, computePadding(source.at, computeAlignment(element)))
  const end = source.at + length
  if (end > source.bytes.length) throw toFailure('an array is longer than its message')
  if (element.code === 'y') return takeBytes(source, length)
  const values: BusValue[] = []
  while (source.at < end) values.push(takeValue(element, source, depth + 1))
  if (source.at !== end) throw toFailure('an array ends inside of a value')
  return values
}

function takeNumber(code: Exclude<BasicCode, 's' | 'o' | 'g'>, source: BusBytes): number | bigint | boolean {
  const bytes = takeBytes(source, sizes[code])
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const isLittle = source.order === 'little'
  const readers = {
    y: () => view.getUint8(0),
    b: () => view.getUint32(0, isLittle) !== 0,
    n: () => view.getInt16(0, isLittle),
    q: () => view.getUint16(0, isLittle),
    i: () => view.getInt32(0, isLittle),
    u: () => view.getUint32(0, isLittle),
    h: () => view.getUint32(0, isLittle),
    x: () => view.getBigInt64(0, isLittle),
    t: () => view.getBigUint64(0, isLittle),
    d: () => view.getFloat64(0, isLittle),
  }
  return readers[code]()
}

function takeBytes(source: BusBytes, length: number): Buffer {
  const end = source.at + length
  if (end > source.bytes.length) throw toFailure('a value is longer than its message')
  const bytes = source.bytes.subarray(source.at, end)
  source.at = end
  return bytes
}

function toFailure(what: string): BusError {
  return new BusError('broken', what)
}
