import { expect, test } from 'vitest'
import { hideSecrets } from '../../src/runtime/hide-secrets.ts'

const secret = 'canary-7f3a91c2d4'

test.each<[before: string, shown: string]>([
  ['', '[secret]'],
  ['me:', 'bWU6[secret]'],
  ['user:', 'dXNlcjp[secret]'],
  ['Bearer ', 'QmVhcmVyIG[secret]'],
])('a secret in base64 behind "%s" is hidden', (before, shown) => {
  const texts = (['base64', 'base64url'] as const).map((encoding) => Buffer.from(before + secret).toString(encoding))
  expect(texts.map((text) => hideSecrets(text, [secret]))).toEqual([shown, shown])
})

test('and so it is with something behind it, but for the letter that they share', () => {
  const text = Buffer.from(`user:${secret}@host`).toString('base64')
  expect(hideSecrets(text, [secret])).toBe('dXNlcjp[secret]EBob3N0')
})
