import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toSha256 } from '../../src/runtime/digest.ts'

test('digests are those of node:crypto, of a text as UTF-8', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(toSha256(text)).toBe(createHash('sha256').update(text).digest('hex'))
    }),
  )
})
