import { expect, test } from 'vitest'
import { Secret } from '../../../../src/runtime/secret.ts'
import { encodeGrantRequest, type GrantClient } from '../../../../src/sources/oauth/exchange/encode-request.ts'

const form = 'grant_type=g&assertion=eyJ.a%2Bb.c&scope=a+b'
const secret = new Secret('s:e c/r&t')

function encode(client: GrantClient, authMethods?: readonly string[]) {
  const endpoint = { url: new URL('https://as.example/token'), setting: 'exchange-url', authMethods }
  const parameters = [
    ['grant_type', 'g'] as const,
    ['assertion', new Secret('eyJ.a+b.c')] as const,
    ['scope', 'a b'] as const,
  ]
  const request = { endpoint, client, parameters, token: 't', origin: 'sign-in' as const, isIdempotent: true }
  const { headers, body } = encodeGrantRequest(request)
  const { authorization, ...others } = headers
  expect(others).toEqual({ 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' })
  return authorization === undefined ? [body] : [body, Buffer.from(authorization.slice(6), 'base64').toString()]
}

const basic = [form, 'a%3Ab:s%3Ae+c%2Fr%26t']
const post = [`${form}&client_id=a%3Ab&client_secret=s%3Ae+c%2Fr%26t`]

test.each<[name: string, client: GrantClient, methods: readonly string[] | undefined, sent: readonly string[]]>([
  ['a client that does not name itself', { id: undefined }, undefined, [form]],
  ['a public client', { id: 'a:b' }, ['client_secret_basic'], [`${form}&client_id=a%3Ab`]],
  ['a secret, by default', { id: 'a:b', secret }, undefined, basic],
  ['a secret where both ways are offered', { id: 'a:b', secret }, ['client_secret_post', 'client_secret_basic'], basic],
  ['a secret where the body alone is offered', { id: 'a:b', secret }, ['none', 'client_secret_post'], post],
  ['a secret where neither is offered', { id: 'a:b', secret }, ['private_key_jwt'], basic],
  ['a secret that is to come by post', { id: 'a:b', secret, authentication: 'post' }, undefined, post],
  ['a secret that is to come by basic', { id: 'a:b', secret, authentication: 'basic' }, ['client_secret_post'], basic],
])('%s is encoded as RFC 6749 has it', (_, client, methods, sent) => {
  expect(encode(client, methods)).toEqual(sent)
})
