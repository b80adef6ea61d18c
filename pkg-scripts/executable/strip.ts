/**
 * Removes the unnecessary parts of a runtime: from ELF the symbol table and debugging information, a fifth of the file; from PE the
 * signature, which added content would invalidate. Mach-O is unchanged, because the step that adds our program removes its signature.
 */
export function strip(runtime: Buffer): Buffer {
  if (runtime.readUInt32BE(0) === 0x7f454c46) return stripElf(runtime)
  if (runtime.toString('latin1', 0, 2) === 'MZ') return removeSignature(runtime)
  return runtime
}

/** Offsets in the headers of a 64-bit little-endian ELF file, from the System V ABI. */
const elf = { tableOffset: 0x28, count: 0x3c, namesIndex: 0x3e, entrySize: 64 } as const
const section = { type: 4, flags: 8, offset: 24, size: 32, link: 40 } as const
const allocated = 2n
const typeWithoutBytes = 8

/** Keeps the loaded sections. They come first, so that none of them moves. */
function stripElf(file: Buffer): Buffer {
  const table = Number(file.readBigUInt64LE(elf.tableOffset))
  const names = file.readUInt16LE(elf.namesIndex)
  const entries = Array.from({ length: file.readUInt16LE(elf.count) }, (_, index) =>
    file.subarray(table + index * elf.entrySize, table + (index + 1) * elf.entrySize),
  )
  const isLoaded = (entry: Buffer) => (entry.readBigUInt64LE(section.flags) & allocated) !== 0n
  const last = entries.findLastIndex(isLoaded)
  const kept = entries.slice(0, last + 1).map((entry) => Buffer.from(entry))
  const end = Math.max(...kept.filter(isLoaded).map(computeSectionEnd))
  const nameTable = Buffer.from(entries[names]!)
  const nameBytes = selectBytes(file, nameTable)
  nameTable.writeBigUInt64LE(BigInt(end), section.offset)
  const gap = Buffer.alloc(-(end + nameBytes.length) & 7)
  const body = Buffer.concat([file.subarray(0, end), nameBytes, gap, ...kept, nameTable])
  body.writeBigUInt64LE(BigInt(end + nameBytes.length + gap.length), elf.tableOffset)
  body.writeUInt16LE(kept.length + 1, elf.count)
  body.writeUInt16LE(kept.length, elf.namesIndex)
  return body
}

function computeSectionEnd(entry: Buffer): number {
  const offset = Number(entry.readBigUInt64LE(section.offset))
  const hasBytes = entry.readUInt32LE(section.type) !== typeWithoutBytes
  return offset + (hasBytes ? Number(entry.readBigUInt64LE(section.size)) : 0)
}

function selectBytes(file: Buffer, entry: Buffer): Buffer {
  const offset = Number(entry.readBigUInt64LE(section.offset))
  return file.subarray(offset, offset + Number(entry.readBigUInt64LE(section.size)))
}

/** Offsets from the Portable Executable specification, for the 64-bit form. The signature is the end of the file. */
function removeSignature(file: Buffer): Buffer {
  const optional = file.readUInt32LE(0x3c) + 24
  const certificates = optional + 112 + 4 * 8
  const offset = file.readUInt32LE(certificates)
  const unsigned = Buffer.from(offset === 0 ? file : file.subarray(0, offset))
  unsigned.fill(0, certificates, certificates + 8)
  unsigned.writeUInt32LE(0, optional + 64) // the checksum; 0 means that there is none
  return unsigned
}
