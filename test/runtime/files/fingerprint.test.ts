import fc from 'fast-check'
import { expect, test } from 'vitest'
import { digestFingerprint } from '../../../src/runtime/files/fingerprint.ts'
import { codePoint } from '../../setup/code-point.ts'

// Published test vectors of MurmurHash3_x86_128, and their neighbours by an implementation in C.
test.each<[text: string, digest: string]>([
  ['', '00000000000000000000000000000000'],
  ['The quick brown fox jumps over the lazy dog', '2f1583c3ecee2c675d7bf66ce5e91d2c'],
  ['The quick brown fox jumps over the lazy cog', '0ed643883e9ae7799703459349b3f32f'],
])('the fingerprint of %j is %s', (text, digest) => {
  expect(digestFingerprint(text)).toBe(digest)
})

test('texts that differ in one place have different fingerprints', () => {
  const place = fc.tuple(fc.string({ unit: codePoint, minLength: 1 }), fc.nat(), fc.string({ minLength: 1 }))
  fc.assert(
    fc.property(place, ([text, at, other]) => {
      const index = at % text.length
      const changed = `${text.slice(0, index)}${other}${text.slice(index + 1)}`
      // Half of a surrogate pair is not a character; it becomes U+FFFD in UTF-8.
      fc.pre(Buffer.from(changed).compare(Buffer.from(text)) !== 0)
      expect(digestFingerprint(changed)).not.toBe(digestFingerprint(text))
    }),
  )
})
