import { expect, test } from 'vitest'
import { SecretSearch } from '../../../../src/client/check/runs/secret-search.ts'

function searchFor(token: string, headers: Record<string, string> = {}, env: Record<string, string> = {}) {
  const search = new SecretSearch(env, [])
  search.add({ token, headers })
  return search
}

const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.c2lnbmF0dXJl'

test.each<[text: string, found: string | undefined]>([
  ['issued sk-ant-canary01', undefined],
  ['issued sk-vendor-canary0123456789', 'the token'],
  ['issued sk-vendor-canary…', "the token's first characters"],
  ['keys begin with sk-vendor-', undefined],
  ['X-Org: a-long-value-of-a-header', 'the value of the header X-Org'],
])('in its own words, %j holds %j', (text, found) => {
  const search = searchFor('sk-vendor-canary0123456789', { 'X-Org': 'a-long-value-of-a-header', 'X-Env': 'prod' })
  expect(search.find(text, 'own')).toBe(found)
})

test('in files, the header that all JWTs of an issuer share does not count as a secret', () => {
  const search = searchFor(jwt)
  expect([
    search.find('eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJvdGhlciJ9.x', 'new-file'),
    search.find(`issued ${jwt.slice(0, 40)}`, 'new-file'),
    search.find(`issued ${jwt.slice(0, 8)}`, 'own'),
  ]).toEqual([undefined, "the token's first characters", "the token's first characters"])
})

test('in files that are older than the check only the token is a secret, because a header may come from there', () => {
  const search = searchFor('sk-vendor-canary0123456789', { 'X-Org': 'a-long-value-of-a-header' })
  const find = (text: string) => search.find(text, 'old-file')
  expect([find('X-Org: a-long-value-of-a-header'), find('"sk-vendor-canary0123456789"')]).toEqual([
    undefined,
    'the token',
  ])
})

test('neither an open argument of the helper nor a short token is searched for', () => {
  expect(searchFor('t-canary0123', {}, { TOKEN: 't-canary0123' }).find('t-canary0123', 'own')).toBeUndefined()
  expect(searchFor('abc').find('abc', 'own')).toBeUndefined()
})

test('a masked text holds neither the token nor what looks like one', () => {
  const search = searchFor('sk-vendor-canary0123456789')
  const text = search.mask(`got sk-vendor-canary0123456789 from ${jwt}, twice: sk-vendor-canary01`)
  expect(text).not.toMatch(/canary|eyJ/)
})
