import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createIssuerKeys } from '../../../src/verify/jwt/issuer-keys.ts'
import { createTestKey, createTrust, now } from './issuer.ts'

const key = await createTestKey('ES256')

const toTrust = (name: string) =>
  createTrust([], { issuer: `https://${name}.example`, keys: { url: `https://${name}.example/jwks` } })

function createSide() {
  const asked: string[] = []
  const keys = createIssuerKeys({
    now: () => now,
    fetch: async (url) => {
      asked.push(url)
      await setImmediate()
      return Response.json({ keys: [key.jwk] })
    },
  })
  const names = () => keys.states().map(({ issuer, keys: count }) => [issuer, count])
  return { asked, keys, names }
}

test('a policy that is read again costs no request, and an issuer that it no longer names is forgotten', async () => {
  const { asked, keys, names } = createSide()
  await keys.prepare([toTrust('a'), toTrust('b')])
  const both = names()
  await keys.prepare([{ ...toTrust('b'), audiences: ['another'] }])
  expect([both, names(), asked]).toEqual([
    [
      ['https://a.example', 1],
      ['https://b.example', 1],
    ],
    [['https://b.example', 1]],
    ['https://a.example/jwks', 'https://b.example/jwks'],
  ])
})

test('an issuer whose keys have moved counts as another one', async () => {
  const { asked, keys } = createSide()
  await keys.prepare([toTrust('a')])
  await keys.prepare([{ ...toTrust('a'), keys: { url: 'https://new.example/jwks' } }])
  expect(asked).toEqual(['https://a.example/jwks', 'https://new.example/jwks'])
})

test('a token of an issuer for which nothing was prepared has its keys fetched', async () => {
  const { keys } = createSide()
  const { outcome } = await keys.find(toTrust('a'), { kid: key.kid, alg: 'ES256' })
  expect(outcome).toBe('found')
})
