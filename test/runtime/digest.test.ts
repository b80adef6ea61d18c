import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { digestBytes, toSha256 } from '../../src/runtime/digest.ts'
import { codePoint } from '../setup/code-point.ts'

test('digests are those of node:crypto, of bytes and of a text as UTF-8', async () => {
  const digest = (data: string | Uint8Array) => createHash('sha256').update(data).digest('hex')
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: codePoint }), fc.uint8Array({ maxLength: 300 }), async (text, bytes) => {
      expect([toSha256(text), await digestBytes(bytes)]).toEqual([digest(text), digest(bytes)])
    }),
  )
})
