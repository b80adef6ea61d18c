// Folder: programs for macOS (Mach-O), read without a Mac.

import { isDeepStrictEqual } from 'node:util'
import { listChainedPointers } from './chained-pointers.ts'
import { parseExportedSymbols } from './exported-symbols.ts'
import { type LoadCommand, listLoadCommands, listSegments, loadCommands, type Segment } from './load-commands.ts'

/** The segment that is added to a runtime, and contains our program. */
const addedSegment = 'NODE_SEA'

/** The segment that the added one moves: it contains data for the loader and debuggers, and no code. */
const linkedSegment = '__LINKEDIT'

/**
 * Requires that the built program is the runtime with one more segment: every other segment is at the same place and holds the same bytes,
 * except the fuse; every pointer has the same target; and the exports are equal. A builder moved segments by a page and did not adjust the
 * pointers, so that the program crashed (nodejs/node#65479).
 * @returns how many pointers were compared.
 * @throws where anything else differs.
 */
export function requireUnmovedProgram(runtime: Buffer, built: Buffer): number {
  requireSameCommands(listLoadCommands(runtime), listLoadCommands(built))
  const segments = listSegments(built)
  requireOrder(segments, built.length)
  for (const segment of listSegments(runtime).filter(({ name }) => name !== linkedSegment))
    requireSameSegment(segment, segments, { runtime, built })
  if (!isDeepStrictEqual(parseExportedSymbols(built), parseExportedSymbols(runtime)))
    throw new Error('the program exports other symbols')
  return requireSamePointers(runtime, built)
}

/** One segment was added, and the runtime's signature was removed. */
function requireSameCommands(before: readonly LoadCommand[], after: readonly LoadCommand[]): void {
  const kept = before.filter(({ kind }) => kind !== loadCommands.codeSignature).map(toSketch)
  const found = after.filter((command) => nameSegment(command) !== addedSegment).map(toSketch)
  if (!isDeepStrictEqual(found, kept))
    throw new Error('the load commands are not those of the runtime with one segment more')
  if (found.length !== after.length - 1) throw new Error(`there is not exactly one segment ${addedSegment}`)
}

function toSketch(command: LoadCommand): string {
  return `${command.kind.toString(16)} ${command.bytes.length} ${nameSegment(command) ?? ''}`
}

function nameSegment({ kind, bytes }: LoadCommand): string | undefined {
  return kind === loadCommands.segment ? bytes.toString('latin1', 8, 24).replace(/\0.*/s, '') : undefined
}

/** In memory and in the file each segment begins at or after the end of an earlier one, at a page of the processor. */
function requireOrder(segments: readonly Segment[], fileBytes: number): void {
  let [address, offset] = [0, 0]
  for (const segment of segments) {
    const isBehind = segment.address >= address && (segment.fileSize === 0 || segment.offset >= offset)
    if (!isBehind || segment.address % pageBytes !== 0 || segment.fileSize > segment.memorySize)
      throw new Error(`the segment ${segment.name} lies over another one`)
    address = segment.address + segment.memorySize
    offset = Math.max(offset, segment.offset + segment.fileSize)
  }
  if (offset > fileBytes) throw new Error('a segment leads beyond the file')
}

/** The page of a processor from Intel; those of Apple have 16 KiB. */
const pageBytes = 4096

function requireSameSegment(
  before: Segment,
  segments: readonly Segment[],
  { runtime, built }: { runtime: Buffer; built: Buffer },
): void {
  const after = segments.find(({ name }) => name === before.name)
  if (!isDeepStrictEqual(after, before)) throw new Error(`the segment ${before.name} was moved`)
  // The header and the load commands have already been compared.
  const from = before.offset === 0 ? Math.min(before.fileSize, endOfCommands(built)) : before.offset
  const [old, found] = [runtime, built].map((file) => file.subarray(from, before.offset + before.fileSize)) as [
    Buffer,
    Buffer,
  ]
  if (!withoutFuse(found).equals(withoutFuse(old))) throw new Error(`the segment ${before.name} holds other bytes`)
}

function endOfCommands(file: Buffer): number {
  return listLoadCommands(file).reduce((end, { bytes }) => end + bytes.length, 32)
}

/** The fuse tells the runtime that a program was added. */
function withoutFuse(bytes: Buffer): Buffer {
  const at = bytes.indexOf('NODE_SEA_FUSE_')
  if (at === -1) return bytes
  const copy = Buffer.from(bytes)
  const value = copy.indexOf(':', at) + 1
  copy[value] = 0
  return copy
}

function requireSamePointers(runtime: Buffer, built: Buffer): number {
  const [before, after] = [listChainedPointers(runtime), listChainedPointers(built)]
  const other = before.findIndex((pointer, index) => !isDeepStrictEqual(pointer, after[index]))
  if (other !== -1)
    throw new Error(`the pointer at ${before[other]!.at.segment}+${before[other]!.at.offset} leads elsewhere`)
  if (after.length !== before.length) throw new Error(`there are ${after.length} pointers in place of ${before.length}`)
  return after.length
}
