import { expect, test } from 'vitest'
import { findClaim, parseClaimPath } from '../../../src/runtime/tokens/claim-path.ts'

const claims = { realm_access: { roles: ['a'] }, 'https://x.example/': { team: 'b' }, 'x[0': 'c' }

test.each<[text: string, value: unknown]>([
  ['realm_access.roles', ['a']],
  ['[https://x.example/].team', 'b'],
  ['["https://x.example/"].team', 'b'],
  ["['https://x.example/'].team", 'b'],
  ['[x[0]', 'c'],
  ['constructor', undefined],
])('%s names a claim', (text, value) => {
  const path = parseClaimPath(text)
  expect(path && findClaim(claims, path)).toEqual(value)
})

test.each(['', 'a.b.', 'https://x.example/', '[]', 'a b'])('%j names no claim', (text) => {
  expect(parseClaimPath(text)).toBeUndefined()
})
