import { describe, expect, test } from 'vitest'
import { strip } from '../../../pkg-scripts/executable/strip.ts'

describe('a PE file', () => {
  const header = 0x80
  const certificates = header + 24 + 112 + 32
  const file = (signature: string) => {
    const bytes = Buffer.alloc(0x200)
    bytes.write('MZ')
    bytes.writeUInt32LE(header, 0x3c)
    bytes.writeUInt32LE(0x1234, header + 24 + 64)
    if (signature) {
      bytes.writeUInt32LE(bytes.length, certificates)
      bytes.writeUInt32LE(signature.length, certificates + 4)
    }
    return Buffer.concat([bytes, Buffer.from(signature)])
  }

  test('loses its signature, its entry and its checksum', () => {
    const stripped = strip(file('signature'))
    expect({
      bytes: stripped.length,
      entry: stripped.readBigUInt64LE(certificates),
      checksum: stripped.readUInt32LE(header + 24 + 64),
    }).toEqual({ bytes: 0x200, entry: 0n, checksum: 0 })
  })

  test('without a signature keeps its length', () => {
    expect(strip(file('')).length).toBe(0x200)
  })
})

test('a file of another kind stays as it is', () => {
  const machO = Buffer.from('cffaedfe0c000001', 'hex')
  expect(strip(machO)).toBe(machO)
})
