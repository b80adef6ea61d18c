import { expect, test } from 'vitest'
import { applyPolicy } from '../../../src/verify/policy/apply-policy.ts'
import type { RequestFacts } from '../../../src/verify/policy/request-condition.ts'
import { createMemoryReplayStore } from '../../../src/verify/replay/memory-replay-store.ts'
import type { Verdict } from '../../../src/verify/verdict.ts'
import { createTokenVerifier } from '../../../src/verify/verifier/create-verifier.ts'
import { identityWith, issuer, policyOf } from '../policy/policy-text.ts'

const headers = { 'x-user': '{sub}' }

/** A verifier by these rules, whose tokens are all of the same person, and what it has verified. */
function createByRules(rules: readonly object[]) {
  const policy = policyOf(rules.map((rule) => ({ issuer, claims: { groups: ['llm-dev'] }, headers, ...rule })))
  const verified: string[] = []
  const identify = async (token: string) => {
    verified.push(token)
    return { ...identityWith({ groups: [token.includes('guest') ? 'guests' : 'llm-dev'] }), expiresAt: 60_000 }
  }
  const verifier = createTokenVerifier(
    { policy: () => policy, replay: createMemoryReplayStore({ now: () => 0 }), now: () => 0 },
    { identify: { jwt: identify, opaque: identify, 'aws-identity': identify }, applyRules: applyPolicy },
  )
  const ask = async (request?: RequestFacts, token = 'a.b.c') => {
    const read = request && (() => request)
    return toWord(verifier.find(token, read) ?? (await verifier.verify(token, read)))
  }
  return { ask, verified, verifier }
}

function toWord(verdict: Verdict): string {
  return verdict.outcome === 'accepted' ? verdict.rule : `${verdict.refusal.reason}: ${verdict.refusal.detail}`
}

const chat = { name: 'chat', request: { paths: ['/v1/messages'] } }
const files = { name: 'files', request: { paths: ['/v1/files'], methods: ['GET'] } }

test('a token is verified once, and each request is decided by the rules', async () => {
  const { ask, verified } = createByRules([chat, files])
  const lacks = (...words: string[]) => `no-rule: no rule accepts its claims: ${words.join(', ')}`
  const asked = [
    await ask({ path: '/v1/messages' }),
    await ask({ path: '/v1/files', method: 'GET' }),
    await ask({ path: '/v1/files', method: 'DELETE' }),
    await ask({ path: '/v1/other', method: 'GET' }),
    await ask(),
    await ask({ path: '/v1/messages', method: 'GET' }),
  ]
  const missing = '(not passed by the gateway, or ambiguous)'
  expect({ asked, verified }).toEqual({
    asked: [
      'chat',
      'files',
      lacks("the request's path (no accepted value)", "the request's method (no accepted value)"),
      lacks("the request's path (no accepted value)"),
      lacks(`the request's path ${missing}`, `the request's method ${missing}`),
      'chat',
    ],
    verified: ['a.b.c'],
  })
})

test('a request that passes is answered from memory as the same verdict, also after many others', async () => {
  const rules = Array.from({ length: 9 }, (_, at) => ({ name: `rule ${at}`, request: { paths: [`/v${at}`] } }))
  const { verifier, ask, verified } = createByRules(rules)
  const find = (at: number) => verifier.find('a.b.c', () => ({ path: `/v${at}` }))
  await ask({ path: '/v0' })
  const first = find(0)
  expect(find(0)).toBe(first)
  for (let at = 0; at < 9; at += 1) expect(await ask({ path: `/v${at}` })).toBe(`rule ${at}`)
  expect([find(0), verified]).toEqual([first, ['a.b.c']])
})

test('whom no request helps is refused for what the claims lack, and so are requests at the same time', async () => {
  const { ask, verified } = createByRules([chat, files])
  const guest = 'a.guest.c'
  const requests = [{ path: '/v1/messages' }, {}]
  expect(await Promise.all(requests.map((request) => ask(request, guest)))).toEqual([
    'no-rule: no rule accepts its claims: groups (no accepted value)',
    'no-rule: no rule accepts its claims: groups (no accepted value)',
  ])
  expect(await Promise.all([ask({ path: '/v1/messages' }), ask({ path: '/v1/files', method: 'GET' })])).toEqual([
    'chat',
    'files',
  ])
  expect(verified).toEqual([guest, 'a.b.c'])
})

test('a token for single use passes once with whatever request, and a refused request does not use it', async () => {
  const { ask } = createByRules([
    { ...chat, use: 'once' },
    { ...files, use: 'once' },
  ])
  const asked = [
    await ask({ path: '/v1/other', method: 'GET' }),
    await ask({ path: '/v1/messages' }),
    await ask({ path: '/v1/files', method: 'GET' }),
    await ask({ path: '/v1/messages' }),
  ]
  expect(asked.map((word) => word.split(':')[0])).toEqual(['no-rule', 'chat', 'replayed', 'replayed'])
})

test('a gateway whose description cannot be read lets nobody pass', async () => {
  const { ask, verifier } = createByRules([chat])
  await ask({ path: '/v1/messages' })
  const read = () => {
    throw new RangeError('no such header')
  }
  expect([toWord(verifier.find('a.b.c', read)!), toWord(await verifier.verify('a.b.c', read))]).toEqual([
    'defect: undefined',
    'defect: undefined',
  ])
})
