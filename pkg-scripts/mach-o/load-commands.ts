/** A load command of a Mach-O file. */
export interface LoadCommand {
  /** Its number in `mach-o/loader.h`. */
  readonly kind: number
  readonly bytes: Buffer
}

/** A part of the file that is mapped into memory. */
export interface Segment {
  readonly name: string
  readonly address: number
  readonly memorySize: number
  readonly offset: number
  readonly fileSize: number
}

/** The numbers of load commands, from `mach-o/loader.h`. */
export const loadCommands = {
  segment: 0x19,
  codeSignature: 0x1d,
  exportsTrie: 0x80000033,
  chainedFixups: 0x80000034,
} as const

/** Lists the load commands of a 64-bit little-endian file, in their order. */
export function listLoadCommands(file: Buffer): LoadCommand[] {
  if (file.readUInt32LE(0) !== 0xfeedfacf) throw new Error('the file is not a 64-bit program for macOS')
  const commands: LoadCommand[] = []
  let at = headerBytes
  for (let left = file.readUInt32LE(16); left > 0; left--) {
    const size = file.readUInt32LE(at + 4)
    commands.push({ kind: file.readUInt32LE(at), bytes: file.subarray(at, at + size) })
    at += size
  }
  if (at !== headerBytes + file.readUInt32LE(20))
    throw new Error('the load commands do not have the size that the header states')
  return commands
}

const headerBytes = 32

/** Lists the segments, by `segment_command_64`. */
export function listSegments(file: Buffer): Segment[] {
  const commands = listLoadCommands(file).filter(({ kind }) => kind === loadCommands.segment)
  return commands.map(({ bytes }) => {
    const [address, memorySize, offset, fileSize] = [24, 32, 40, 48].map((at) => Number(bytes.readBigUInt64LE(at)))
    return {
      name: bytes.toString('latin1', 8, 24).replace(/\0.*/s, ''),
      address: address!,
      memorySize: memorySize!,
      offset: offset!,
      fileSize: fileSize!,
    }
  })
}

/** Finds the bytes to which a command of the form `linkedit_data_command` points; `undefined` without such a command. */
export function findLinkedData(file: Buffer, kind: number): { offset: number; bytes: Buffer } | undefined {
  const command = listLoadCommands(file).find((one) => one.kind === kind)
  if (command === undefined) return undefined
  const offset = command.bytes.readUInt32LE(8)
  return { offset, bytes: file.subarray(offset, offset + command.bytes.readUInt32LE(12)) }
}
