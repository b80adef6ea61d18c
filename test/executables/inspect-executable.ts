/** The properties of an executable that can be read without running it. */
export interface Inspection {
  readonly format: 'ELF' | 'Mach-O' | 'PE'
  readonly machine: string
  /** Where the runtime holds the program. */
  readonly program: 'note' | 'segment' | 'resource' | 'nowhere'
  readonly signature: 'none' | 'left'
  /** The fuse that tells the runtime whether it holds a program: `0` or `1`. */
  readonly fuse: string
}

const machines: Readonly<Record<string, string>> = {
  'ELF 62': 'x64',
  'ELF 183': 'arm64',
  'Mach-O 16777223': 'x64',
  'Mach-O 16777228': 'arm64',
  'PE 34404': 'x64',
  'PE 43620': 'arm64',
}

/** Reads the headers as the loaders of the three systems do. */
export function inspectExecutable(file: Buffer): Inspection {
  const fuses = new Set(file.toString('latin1').match(/NODE_SEA_FUSE_[0-9a-f]{32}:\d/g))
  const fuse = [...fuses].map((text) => text.slice(-1)).join()
  if (file.readUInt32BE(0) === 0x7f454c46) return { ...inspectElf(file), fuse }
  if (file.readUInt32LE(0) === 0xfeedfacf) return { ...inspectMachO(file), fuse }
  return { ...inspectPe(file), fuse }
}

/**
 * What Windows shows of a file: the strings of `VS_VERSION_INFO`, in UTF-16. A copy that no header names any more, because the
 * program moved the resources, is read as well.
 */
export function readWindowsDescriptions(file: Buffer): Record<string, string | undefined>[] {
  const begin = Buffer.from('VS_VERSION_INFO', 'utf16le')
  const starts: number[] = []
  for (let at = file.indexOf(begin); at !== -1; at = file.indexOf(begin, at + 1)) starts.push(at)
  return starts.map((start) => {
    const text = file.toString('utf16le', start, start + 2_000)
    const keys = ['CompanyName', 'FileDescription', 'FileVersion', 'OriginalFilename', 'ProductName', 'ProductVersion']
    return Object.fromEntries(keys.map((key) => [key, new RegExp(`${key}\0+([^\0]+)\0`).exec(text)?.[1]]))
  })
}

type Headers = Omit<Inspection, 'fuse'>

function inspectElf(file: Buffer): Headers {
  const offset = Number(file.readBigUInt64LE(32))
  const segments = Array.from({ length: file.readUInt16LE(56) }, (_, index) => file.subarray(offset + index * 56))
  const notes = segments.filter((segment) => segment.readUInt32LE(0) === 4)
  const isProgram = (segment: Buffer) => {
    const start = Number(segment.readBigUInt64LE(8))
    return file.subarray(start, start + Number(segment.readBigUInt64LE(32))).includes('NODE_SEA_BLOB')
  }
  const machine = machines[`ELF ${file.readUInt16LE(18)}`] ?? 'unknown'
  return { format: 'ELF', machine, program: notes.some(isProgram) ? 'note' : 'nowhere', signature: 'none' }
}

function inspectMachO(file: Buffer): Headers {
  const commands: Buffer[] = []
  for (let offset = 32, left = file.readUInt32LE(16); left > 0; left--) {
    const size = file.readUInt32LE(offset + 4)
    commands.push(file.subarray(offset, offset + size))
    offset += size
  }
  const isProgram = (command: Buffer) => command.readUInt32LE(0) === 0x19 && command.includes('__NODE_SEA_BLOB')
  const isSignature = (command: Buffer) => command.readUInt32LE(0) === 0x1d
  return {
    format: 'Mach-O',
    machine: machines[`Mach-O ${file.readUInt32LE(4)}`] ?? 'unknown',
    program: commands.some(isProgram) ? 'segment' : 'nowhere',
    signature: commands.some(isSignature) ? 'left' : 'none',
  }
}

function inspectPe(file: Buffer): Headers {
  const header = file.readUInt32LE(60)
  const directories = header + 24 + 112
  return {
    format: 'PE',
    machine: machines[`PE ${file.readUInt16LE(header + 4)}`] ?? 'unknown',
    program: file.includes(Buffer.from('NODE_SEA_BLOB', 'utf16le')) ? 'resource' : 'nowhere',
    signature: file.readUInt32LE(directories + 4 * 8) === 0 ? 'none' : 'left',
  }
}
