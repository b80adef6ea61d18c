import { expect, test } from 'vitest'
import type { RequestSource } from '../../../src/verify/server/to-request-facts.ts'
import { policyOf } from '../policy/policy-text.ts'
import { createPolicy } from '../verifier/made-up-checks.ts'
import { createCheckClient } from './ask-check.ts'
import { startVerifierStage } from './verifier-stage.ts'

const request = { hosts: ['gateway.example'], methods: ['POST'], paths: ['/v1/messages'], models: ['small'] }
const { rules } = policyOf([{ name: 'chat', aws: { accounts: ['111122223333'] }, request }])
const local = { kind: 'tcp', host: '127.0.0.1', port: 0 } as const

/** Starts a server whose one rule is for {@link request}, for every token. */
function startStage(requestSource: RequestSource) {
  const policy = { ...createPolicy(), rules }
  return startVerifierStage({ requestSource, grpcListen: local, made: { policy: () => policy } })
}

const authorization = 'Bearer a.b.c'
const forwarded = {
  'x-forwarded-host': 'gateway.example',
  'x-forwarded-method': 'POST',
  'x-forwarded-uri': '/v1/messages?beta=true',
  'x-model': 'small',
}

test('a gateway describes the request in headers, if it is known to set them', async () => {
  const ask = async (source: RequestSource, more: Readonly<Record<string, string>> = {}) => {
    const { url } = await startStage(source)
    const answers = [{ ...forwarded, ...more }, forwarded, {}].map(
      async (headers) => (await fetch(`${url}/v1/messages`, { headers: { authorization, ...headers } })).status,
    )
    return await Promise.all(answers)
  }
  const from = 'x-forwarded'
  expect({
    told: await ask({ from, modelHeader: 'x-model' }, { 'x-forwarded-uri': '/v1/messages/../files' }),
    withoutModel: await ask({ from }),
    untold: await ask({ from: 'nothing', modelHeader: 'x-model' }),
  }).toEqual({ told: [403, 200, 403], withoutModel: [403, 403, 403], untold: [403, 403, 403] })
})

test('Envoy describes the request over gRPC, and words of a caller do not count', async () => {
  const { grpcPort } = await startStage({ from: 'x-forwarded', modelHeader: 'x-model' })
  const { check } = createCheckClient(`127.0.0.1:${grpcPort}`)
  const http = { method: 'POST', path: '/v1/messages?beta=true', host: 'gateway.example:443' }
  const headers = { authorization, 'x-model': 'small' }
  const ask = async (fields: object) => ('okResponse' in (await check(fields)) ? 'passes' : 'refused')
  expect([
    await ask({ ...http, headers }),
    await ask({ ...http, path: '/v1/files', headers: { ...headers, ...forwarded } }),
    await ask({ ...http, headers: { ...headers, 'x-model': 'large' } }),
    await ask({ headers: { ...headers, ...forwarded } }),
    await ask({ headers: { ...headers, ':method': 'POST', ':path': '/v1/messages', host: 'gateway.example' } }),
  ]).toEqual(['passes', 'refused', 'refused', 'refused', 'refused'])
})
