// Holds what calls of system libraries through `node:ffi` share.

/** The part of `node:ffi` that is used here. A wrong call ends the process. */
export type Foreign = Pick<
  typeof import('node:ffi'),
  'dlopen' | 'getRawPointer' | 'getUint32' | 'getUint64' | 'toBuffer'
>

/** Returns a function that gives the address of bytes, and keeps them in memory until the process ends, which is after one request. */
export function createPointers(ffi: Foreign): PointTo {
  const kept: (Buffer | BigUint64Array)[] = []
  return (bytes) => {
    kept.push(bytes)
    return ffi.getRawPointer(bytes)
  }
}

/** The address is valid as long as the bytes are in memory. */
type PointTo = (bytes: Buffer | BigUint64Array) => bigint

/** Paths of the libraries of Windows. */
export interface WindowsLibraries {
  readonly kernel32: string
  readonly advapi32: string
  readonly crypt32: string
}

/** `MAX_PATH` of `minwindef.h`, in characters of two bytes. */
const longestPath = 260

/**
 * Locates the libraries in the directory of the system, because Windows would search for a bare name in the executable's directory and in the
 * current one too. Each process of Windows has loaded kernel32 already.
 */
export function locateWindowsLibraries(ffi: Foreign): WindowsLibraries {
  const kernel32 = 'kernel32.dll'
  const { functions } = ffi.dlopen(kernel32, { GetSystemDirectoryW: { arguments: ['pointer', 'u32'], return: 'u32' } })
  const path = Buffer.alloc(longestPath * 2)
  const length = functions.GetSystemDirectoryW(path, longestPath)
  const directory = path.toString('utf16le', 0, length * 2)
  return { kernel32, advapi32: `${directory}\\advapi32.dll`, crypt32: `${directory}\\crypt32.dll` }
}
