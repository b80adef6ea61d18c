import { expect, test } from 'vitest'
import { signClaims } from '../jwt/issuer.ts'
import { createStage, good } from './opaque-stage.ts'

test('a JWT in another form than its own is not sent to a provider that may read it all the same', async () => {
  const { asked, decide, key } = await createStage()
  const token = await signClaims(key, { iss: 'https://other.example' })
  const [head = '', body = '', signature = ''] = token.split('.')
  const spaced = Buffer.from(' {"alg": "ES256"}').toString('base64url')
  const texts = [
    ...[`${token}=`, `${token}==`, `${head}.${body}~.${signature}`, `${head}.+${body}.${signature}`],
    ...[`${spaced}.${body}.${signature}=`, `${head}..iv.text.tag`, `${token}~disclosure~`, `${head}.${body}`],
  ]
  const outcomes = []
  for (const text of texts) outcomes.push((await decide(text)).split(':')[0])
  expect({ outcomes, asked }).toEqual({ outcomes: Array(8).fill('malformed'), asked: [] })
})

test('a proof of an AWS identity is sent to no provider, although the policy accepts none', async () => {
  const { asked, decide } = await createStage()
  const proof = Buffer.from('https://sts.eu-central-1.amazonaws.com/?Action=GetCallerIdentity').toString('base64url')
  expect([await decide(`k8s-aws-v1.${proof}`), asked]).toEqual([
    'unknown-kind: the policy accepts no AWS identities',
    [],
  ])
})

test('what is remembered of short tokens with long answers stays within the bound of bytes', async () => {
  const { world, decide, verifier } = await createStage({}, { limits: { cacheBytes: 100_000 } })
  world.answer = async () => Response.json({ ...good, groups: 'x'.repeat(30_000) })
  for (const token of ['one', 'two', 'three', 'four', 'five']) await decide(token)
  expect(verifier.state().cacheEntries).toBe(3)
})
