import type { Foreign } from '../../../../runtime/foreign/foreign.ts'

/** `CS_OPS_CDHASH` of `codesign.h`, and `PROC_PIDUNIQIDENTIFIERINFO` of `proc_info_private.h` with offsets in its structure. */
const codeHash = { operation: 5, bytes: 20 } as const
const identity = { flavor: 17, bytes: 56, version: 32, parentVersion: 36 } as const

/** `PROC_PIDPATHINFO_MAXSIZE` of `proc_info.h`. */
const longestPath = 4096

/** What this process asks of the system beside its keychain. */
export interface MacosProcess {
  /** Whether a process runs the same code as another one, its child, and did so when it started that. */
  isStartedBySameCode(child: number, parent: number): boolean
  /** Ends this process after so many seconds, even while a call does not return, and though nobody is left who could end it. */
  endAfter(seconds: number): void
}

/** Opens the functions about processes in the system's library. */
export function openMacosProcess(ffi: Foreign, path: string): MacosProcess {
  const { functions } = ffi.dlopen(path, {
    csops: { arguments: ['i32', 'u32', 'pointer', 'u64'], return: 'i32' },
    proc_pidinfo: { arguments: ['i32', 'i32', 'u64', 'pointer', 'i32'], return: 'i32' },
    proc_pidpath: { arguments: ['i32', 'pointer', 'u32'], return: 'i32' },
    alarm: { arguments: ['u32'], return: 'u32' },
  })
  const describeCode = (process: number) => {
    const hash = Buffer.alloc(codeHash.bytes)
    if (functions.csops(process, codeHash.operation, hash, BigInt(hash.length)) === 0) return hash.toString('hex')
    // Code that nobody has signed, which only a Mac with an Intel processor runs; the keychain too goes by its path.
    const found = Buffer.alloc(longestPath)
    return found.toString('utf8', 0, Math.max(0, functions.proc_pidpath(process, found, longestPath)))
  }
  const readIdentity = (process: number) => {
    const found = Buffer.alloc(identity.bytes)
    return functions.proc_pidinfo(process, identity.flavor, 0n, found, found.length) === found.length
      ? found
      : undefined
  }
  return {
    isStartedBySameCode: (child, parent) => {
      const code = describeCode(child)
      const [own, others] = [readIdentity(child), readIdentity(parent)]
      if (code === '' || code !== describeCode(parent) || !own || !others) return false
      // Each start of another program in a process raises its version. An older macOS does not say which one the parent had (0).
      const atStart = own.readInt32LE(identity.parentVersion)
      return atStart === 0 || atStart === others.readInt32LE(identity.version)
    },
    endAfter: (seconds) => {
      functions.alarm(seconds)
    },
  }
}
