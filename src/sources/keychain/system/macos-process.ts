import type { Foreign } from '../../../runtime/foreign-functions.ts'

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
    // Unsigned code, which only a Mac with an Intel processor runs. The keychain identifies it by its path too.
    const found = Buffer.alloc(longestPath)
    return found.toString('utf8', 0, Math.max(0, functions.proc_pidpath(process, found, longestPath)))
  }
  const findIdentity = (process: number) => {
    const found = Buffer.alloc(identity.bytes)
    return functions.proc_pidinfo(process, identity.flavor, 0n, found, found.length) === found.length
      ? found
      : undefined
  }
  return {
    isStartedBySameCode: (child, parent) => {
      const code = describeCode(child)
      const [own, others] = [findIdentity(child), findIdentity(parent)]
      if (code === '' || code !== describeCode(parent) || !own || !others) return false
      // Each start of another program in a process raises its version. An older macOS does not give the parent's version (0).
      const atStart = own.readInt32LE(identity.parentVersion)
      return atStart === 0 || atStart === others.readInt32LE(identity.version)
    },
    endAfter: (seconds) => {
      functions.alarm(seconds)
    },
  }
}

/** The functions of macOS about processes that the child of the keychain uses. */
interface MacosProcess {
  /** Whether a parent process runs the same code as its child, and already did so when it started the child. */
  isStartedBySameCode(child: number, parent: number): boolean
  /** Ends this process after this many seconds, even while a call does not return and no other process is left to end it. */
  endAfter(seconds: number): void
}

/** `CS_OPS_CDHASH` of `codesign.h`, and `PROC_PIDUNIQIDENTIFIERINFO` of `proc_info_private.h` with offsets in its structure. */
const codeHash = { operation: 5, bytes: 20 } as const

/** `PROC_PIDPATHINFO_MAXSIZE` of `proc_info.h`. */
const longestPath = 4096

const identity = { flavor: 17, bytes: 56, version: 32, parentVersion: 36 } as const
