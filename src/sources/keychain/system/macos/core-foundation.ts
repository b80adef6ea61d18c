import { createPointers, type Foreign } from '../../../../runtime/foreign/foreign.ts'

/** `kCFStringEncodingUTF8` of `CFString.h`. */
const utf8 = 0x0800_0100

/** Objects of CoreFoundation by their address. None is released, because the process ends after one request. */
export interface CoreFoundation {
  readonly yes: bigint
  createText(text: string): bigint
  createData(bytes: Buffer): bigint
  createDictionary(pairs: readonly (readonly [key: bigint, value: bigint])[]): bigint
  readData(data: bigint): Buffer
}

/** Opens the library in which texts, bytes and dictionaries of macOS are. */
export function openCoreFoundation(ffi: Foreign, path: string): CoreFoundation {
  const { lib, functions } = ffi.dlopen(path, {
    CFStringCreateWithBytes: { arguments: ['pointer', 'pointer', 'i64', 'u32', 'u8'], return: 'pointer' },
    CFDataCreate: { arguments: ['pointer', 'pointer', 'i64'], return: 'pointer' },
    CFDictionaryCreate: {
      arguments: ['pointer', 'pointer', 'pointer', 'i64', 'pointer', 'pointer'],
      return: 'pointer',
    },
    CFDataGetLength: { arguments: ['pointer'], return: 'i64' },
    CFDataGetBytePtr: { arguments: ['pointer'], return: 'pointer' },
  })
  const [keyCalls, valueCalls] = ['kCFTypeDictionaryKeyCallBacks', 'kCFTypeDictionaryValueCallBacks'].map((name) =>
    lib.getSymbol(name),
  )
  const pointTo = createPointers(ffi)
  // Of no bytes there is no address.
  const toBytes = (bytes: Buffer) => (bytes.length === 0 ? null : pointTo(bytes))
  return {
    yes: ffi.getUint64(lib.getSymbol('kCFBooleanTrue')),
    createText: (text) => {
      const bytes = Buffer.from(text)
      return functions.CFStringCreateWithBytes(null, toBytes(bytes), BigInt(bytes.length), utf8, 0)
    },
    createData: (bytes) => functions.CFDataCreate(null, toBytes(bytes), BigInt(bytes.length)),
    createDictionary: (pairs) => {
      const [keys, values] = [0, 1].map((index) => pointTo(BigUint64Array.from(pairs, (pair) => pair[index]!)))
      return functions.CFDictionaryCreate(null, keys!, values!, BigInt(pairs.length), keyCalls!, valueCalls!)
    },
    readData: (data) => ffi.toBuffer(functions.CFDataGetBytePtr(data), Number(functions.CFDataGetLength(data))),
  }
}
