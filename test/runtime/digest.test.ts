import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toSha1, toSha256 } from '../../src/runtime/digest.ts'

test('digests are those of node:crypto, of a text as UTF-8', () => {
  const digest = (algorithm: string, text: string) => createHash(algorithm).update(text).digest('hex')
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect([toSha1(text), toSha256(text)]).toEqual([digest('sha1', text), digest('sha256', text)])
    }),
  )
})
