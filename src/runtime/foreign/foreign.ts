/** The runtime's calls of foreign functions, of which a wrong one ends the process. */
export type Foreign = Pick<
  typeof import('node:ffi'),
  'dlopen' | 'getRawPointer' | 'getUint32' | 'getUint64' | 'toBuffer'
>

/** Gives the address of bytes. */
export type PointTo = (bytes: Buffer | BigUint64Array) => bigint

/** What a structure points to stays in memory until the process ends, which is after one request. */
export function createPointers(ffi: Foreign): PointTo {
  const kept: (Buffer | BigUint64Array)[] = []
  return (bytes) => {
    kept.push(bytes)
    return ffi.getRawPointer(bytes)
  }
}
