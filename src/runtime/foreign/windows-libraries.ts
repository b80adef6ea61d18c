import type { Foreign } from './foreign.ts'

/** Paths of the libraries of Windows. */
export interface WindowsLibraries {
  readonly kernel32: string
  readonly advapi32: string
  readonly crypt32: string
}

/** `MAX_PATH` of `minwindef.h`, in characters of two bytes. */
const longestPath = 260

/**
 * Finds them in the directory of the system, wherever that is: a name alone would be looked for in the executable's directory and
 * in the current one too. Each process of Windows has kernel32 already.
 */
export function findWindowsLibraries(ffi: Foreign): WindowsLibraries {
  const kernel32 = 'kernel32.dll'
  const { functions } = ffi.dlopen(kernel32, { GetSystemDirectoryW: { arguments: ['pointer', 'u32'], return: 'u32' } })
  const path = Buffer.alloc(longestPath * 2)
  const length = functions.GetSystemDirectoryW(path, longestPath)
  const directory = path.toString('utf16le', 0, length * 2)
  return { kernel32, advapi32: `${directory}\\advapi32.dll`, crypt32: `${directory}\\crypt32.dll` }
}
