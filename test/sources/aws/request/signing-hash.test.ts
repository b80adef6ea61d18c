import { createHash, createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SigningHash } from '../../../../src/sources/aws/request/signing-keys.ts'

const parts = fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.uint8Array({ maxLength: 200 })))
const secrets = fc.option(fc.oneof(fc.string(), fc.uint8Array({ minLength: 1, maxLength: 200 })), { nil: undefined })

test('gives the digests of node:crypto, with a secret and without, also a second time', async () => {
  await fc.assert(
    fc.asyncProperty(secrets, parts, async (secret, texts) => {
      const hash = new SigningHash(secret)
      for (let round = 0; round < 2; round += 1) {
        const real = secret === undefined ? createHash('sha256') : createHmac('sha256', secret)
        for (const text of texts) {
          hash.update(text)
          real.update(text)
        }
        expect(Buffer.from(await hash.digest()).toString('hex')).toBe(real.digest('hex'))
        hash.reset()
      }
    }),
  )
})

test('reads a part of a buffer, and a whole buffer, as their own bytes only', async () => {
  const whole = new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8])
  const digestOf = async (data: ArrayBuffer | Uint8Array) => {
    const hash = new SigningHash()
    hash.update(data)
    return Buffer.from(await hash.digest()).toString('hex')
  }
  expect(await digestOf(whole.subarray(2, 4))).toBe(
    createHash('sha256')
      .update(Buffer.from([3, 4]))
      .digest('hex'),
  )
  expect(await digestOf(whole.buffer)).toBe(createHash('sha256').update(whole).digest('hex'))
})
