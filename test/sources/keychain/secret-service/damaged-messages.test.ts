import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  encodeValues,
  measureMessage,
  parseMessage,
} from '../../../../src/sources/keychain/secret-service/bus-message.ts'
import { BusError, parseSignature } from '../../../../src/sources/keychain/secret-service/bus-types.ts'
import { takeValues } from '../../../../src/sources/keychain/secret-service/take-values.ts'
import { encodeSent } from '../../../stand-ins/bus/bus-messages.ts'

const whole = encodeSent(
  {
    kind: 'return',
    sender: ':1.7',
    signature: 'a{sv}(oayays)ab',
    values: [
      [['Label', { signature: 'a(ss)', value: [['a', 'b']] }]],
      ['/session', Buffer.alloc(0), Buffer.from('hunter2'), 'text/plain'],
      [true, false],
    ],
  },
  7,
)

test('a whole message is read as it was written', () => {
  const { sender, replySerial, signature, decodeValues } = parseMessage(whole)
  expect([measureMessage(whole), sender, replySerial, signature]).toEqual([whole.length, ':1.7', 7, 'a{sv}(oayays)ab'])
  expect(encodeValues(signature, decodeValues())).toEqual(
    whole.subarray(-encodeValues(signature, decodeValues()).length),
  )
})

test('a damaged message is refused, or read as another one', () => {
  const changes = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 })
  const read = (bytes: Buffer) => {
    try {
      if ((measureMessage(bytes) ?? 0) <= bytes.length) parseMessage(bytes).decodeValues()
    } catch (error) {
      expect(error).toBeInstanceOf(BusError)
    }
  }
  fc.assert(
    fc.property(changes, fc.nat(whole.length), (places, length) => {
      const bytes = Buffer.from(whole)
      for (const [at, value] of places) bytes[at] = value
      read(bytes)
      read(bytes.subarray(0, length))
    }),
    { numRuns: 500 },
  )
})

test('bytes of the other order are read as well', () => {
  const bytes = Buffer.from([0, 0, 0, 2, 0x68, 0x69, 0, 0, 0, 0, 0, 1])
  expect(takeValues('sb', { bytes, order: 'big', at: 0 })).toEqual(['hi', true])
})

test.each(['(', '()', 'a', 'a{vs}', '{ss}', 'a{s}', '(s', 'a{sss}', 'Q', `${'a'.repeat(80)}y`, `${'('.repeat(80)}y`])(
  'the signature %s is refused',
  (signature) => {
    expect(() => parseSignature(signature)).toThrow(new BusError('broken', 'a signature is malformed'))
  },
)

test('variants in variants are refused at a depth that no answer needs', () => {
  const nested = Buffer.concat([
    ...Array<Buffer>(200).fill(Buffer.from('\x01v\0', 'latin1')),
    Buffer.from('\x01y\0\x07', 'latin1'),
  ])
  expect(() => takeValues('v', { bytes: nested, order: 'little', at: 0 })).toThrow(
    new BusError('broken', 'values are nested too deeply'),
  )
})
