import { findLinkedData, listSegments, loadCommands, type Segment } from './load-commands.ts'

/**
 * Lists every pointer in the chains of a macOS program, as `dyld` walks them (`mach-o/fixup-chains.h`).
 * @throws if a chain leaves its page or segment, or a pointer leads out of the program.
 */
export function listChainedPointers(file: Buffer): ChainedPointer[] {
  const segments = listSegments(file)
  const { bytes } = findLinkedData(file, loadCommands.chainedFixups) ?? { bytes: Buffer.alloc(0) }
  if (bytes.length === 0) throw new Error('the program has no chained pointers')
  const symbols = listImports(bytes)
  const starts = bytes.readUInt32LE(header.starts)
  return segments.flatMap((segment, index) => {
    const offset = bytes.readUInt32LE(starts + 4 + index * 4)
    if (offset === 0) return []
    return listSegmentPointers(file, bytes.subarray(starts + offset), { segment, segments, symbols })
  })
}

/** A place in memory: a segment, and the bytes from its beginning. */
interface Place {
  readonly segment: string
  readonly offset: number
}

/** A pointer that the loader sets when the program starts. */
interface ChainedPointer {
  readonly at: Place
  /** A place in the program, with the bits of the pointer above the address; or a symbol of a library, with its addend. */
  readonly to: (Place & { readonly high: number }) | { readonly symbol: string; readonly addend: number }
}

/** Offsets in `dyld_chained_fixups_header`. */
const header = { starts: 4, imports: 8, symbols: 12, importCount: 16, importFormat: 20, symbolFormat: 24 } as const

/** Offsets in `dyld_chained_starts_in_segment`. */
const start = { pageSize: 4, format: 6, segmentOffset: 8, pageCount: 20, pages: 22 } as const

/** `DYLD_CHAINED_PTR_64_OFFSET`: targets are relative to the program's beginning, and steps are in units of four bytes. */
const pointerFormat = 6
const stepBytes = 4
const noPointer = 0xffff

interface PointerContext {
  readonly segment: Segment
  readonly segments: readonly Segment[]
  readonly symbols: readonly string[]
}

/** Names by ordinal. Entries have the form `DYLD_CHAINED_IMPORT`: the last 23 bits are the place of the name. */
function listImports(bytes: Buffer): string[] {
  const [imports, symbols, count] = [header.imports, header.symbols, header.importCount].map((at) =>
    bytes.readUInt32LE(at),
  )
  if (bytes.readUInt32LE(header.importFormat) !== 1 || bytes.readUInt32LE(header.symbolFormat) !== 0)
    throw new Error('the imports have an unknown form')
  return Array.from({ length: count! }, (_, index) => {
    const entry = bytes.readUInt32LE(imports! + index * 4)
    const name = symbols! + (entry >>> 9)
    return `${entry & 0xff} ${bytes.toString('latin1', name, bytes.indexOf(0, name))}`
  })
}

function listSegmentPointers(file: Buffer, starts: Buffer, context: PointerContext): ChainedPointer[] {
  const { segment, segments } = context
  const base = requireBase(segments)
  if (starts.readUInt16LE(start.format) !== pointerFormat) throw new Error('the chains have an unknown form')
  if (Number(starts.readBigUInt64LE(start.segmentOffset)) !== segment.address - base)
    throw new Error(`the chains of ${segment.name} begin where the segment does not`)
  const pageBytes = starts.readUInt16LE(start.pageSize)
  const pages = Array.from({ length: starts.readUInt16LE(start.pageCount) }, (_, page) => page)
  return pages.flatMap((page) => {
    const first = starts.readUInt16LE(start.pages + page * 2)
    return first === noPointer ? [] : listPagePointers(file, page * pageBytes + first, (page + 1) * pageBytes, context)
  })
}

function listPagePointers(file: Buffer, first: number, end: number, context: PointerContext): ChainedPointer[] {
  const { segment } = context
  const found: ChainedPointer[] = []
  for (let offset = first, step = 1; step !== 0; offset += step) {
    if (offset + 8 > Math.min(end, segment.fileSize)) throw new Error(`a chain of ${segment.name} leaves its page`)
    const pointer = file.readBigUInt64LE(segment.offset + offset)
    found.push({ at: { segment: segment.name, offset }, to: toTarget(pointer, context) })
    step = Number((pointer >> 51n) & 0xfffn) * stepBytes
  }
  return found
}

function toTarget(pointer: bigint, { segments, symbols }: PointerContext): ChainedPointer['to'] {
  if (pointer >> 63n === 1n) {
    const symbol = symbols[Number(pointer & 0xffffffn)]
    if (symbol === undefined) throw new Error('a pointer names a symbol that is not imported')
    return { symbol, addend: Number((pointer >> 24n) & 0xffn) }
  }
  const address = requireBase(segments) + Number(pointer & 0xfffffffffn)
  const inside = segments.find(
    (one) => one.memorySize > 0 && address >= one.address && address < one.address + one.memorySize,
  )
  if (inside === undefined) throw new Error(`a pointer leads to ${address.toString(16)}, where the program has nothing`)
  return { segment: inside.name, offset: address - inside.address, high: Number((pointer >> 36n) & 0xffn) }
}

/** Returns the address of the program's header, at the beginning of the first segment of the file. */
function requireBase(segments: readonly Segment[]): number {
  const first = segments.find(({ offset, fileSize }) => offset === 0 && fileSize > 0)
  if (first === undefined) throw new Error('no segment holds the header')
  return first.address
}
