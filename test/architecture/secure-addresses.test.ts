import { expect, test } from 'vitest'
import { matches, parse, product } from './source-files.ts'

/** A scheme and a look at the host in one condition, in either order. */
const byHand =
  /protocol\s*[!=]==\s*["']https?:["'][^;{}]*\bisLoopback\(|\bisLoopback\([^;{}]*protocol\s*[!=]==\s*["']https?:/

test('one place decides what counts as a secure address, because a looser copy would send a secret in the clear', () => {
  expect(product.filter((file) => matches(file, byHand)).map(({ path }) => path)).toEqual([
    'src/runtime/network/addresses.ts',
  ])
})

test.each([
  "const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))",
  "const isUnsafe = url.protocol !== 'https:' && !isLoopback(url.hostname)",
  "const isNear = isLoopback(url.hostname) || url.protocol === 'https:'",
])('a copy is found: %s', (text) => {
  expect(matches(parse('a.ts', text), byHand)).toBe(true)
})
