import { expect, test } from 'vitest'
import { requireRule } from '../../../src/verify/policy/match-rules.ts'
import type { RequestFacts } from '../../../src/verify/policy/request-condition.ts'
import { createMemoryReplayStore } from '../../../src/verify/replay/memory-replay-store.ts'
import { createTokenVerifier } from '../../../src/verify/verifier/create-verifier.ts'
import { identityWith, issuer, policyOf } from '../policy/policy-text.ts'
import { toWhole } from './made-up-checks.ts'

const headers = { 'x-user': '{sub}' }

/** Creates a verifier by these rules, whose tokens are all of the same person, and what it has verified. */
function createByRules(rules: readonly object[]) {
  const policy = policyOf(rules.map((rule) => ({ issuer, claims: { groups: ['llm-dev'] }, headers, ...rule })))
  const verified: string[] = []
  const identify = async (token: string) => {
    verified.push(token)
    return token.includes('guest') ? guest : developer
  }
  const verifier = createTokenVerifier(
    { policy: () => policy, replay: createMemoryReplayStore({ now: () => 0 }), now: () => 0 },
    { identify: { jwt: identify, opaque: identify, 'aws-identity': identify }, requireRule },
  )
  const ask = async (request?: RequestFacts, token = 'a.b.c') => {
    const read = request && (() => request)
    return toWhole(verifier.find(token, read) ?? (await verifier.verify(token, read)))
  }
  return { ask, verified, verifier }
}

const developer = { ...identityWith({ groups: ['llm-dev'] }), expiresAt: 60_000 }
const guest = { ...identityWith({ groups: ['guests'] }), expiresAt: 60_000 }

function passing(rule: string) {
  return { outcome: 'accepted', identity: developer, rule, headers: { 'x-user': developer.subject } }
}

/** Returns the refusal of a request that no rule accepts: the caller learns which claims each lacks, the operator of rules too. */
function noRule(lacks: readonly (readonly [rule: string, lack: string])[], identity = developer) {
  const detail = `no rule accepts its claims: ${[...new Set(lacks.map(([, lack]) => lack))].join(', ')}`
  const note = `no rule holds: ${lacks.map(([rule, lack]) => `${rule}: ${lack}`).join(', ')}`
  return { outcome: 'refused', identity, refusal: { reason: 'no-rule', detail, note } }
}

const chat = { name: 'chat', request: { paths: ['/v1/messages'] } }
const files = { name: 'files', request: { paths: ['/v1/files'], methods: ['GET'] } }

test('a token is verified once, and each request is decided by the rules', async () => {
  const { ask, verified } = createByRules([chat, files])
  const asked = [
    await ask({ path: '/v1/messages' }),
    await ask({ path: '/v1/files', method: 'GET' }),
    await ask({ path: '/v1/files', method: 'DELETE' }),
    await ask({ path: '/v1/other', method: 'GET' }),
    await ask(),
    await ask({ path: '/v1/messages', method: 'GET' }),
  ]
  const [path, method] = ["the request's path", "the request's method"]
  const missing = '(not passed by the gateway, or ambiguous)'
  expect({ asked, verified }).toEqual({
    asked: [
      passing('chat'),
      passing('files'),
      noRule([
        ['chat', `${path} (no accepted value)`],
        ['files', `${method} (no accepted value)`],
      ]),
      noRule([
        ['chat', `${path} (no accepted value)`],
        ['files', `${path} (no accepted value)`],
      ]),
      noRule([
        ['chat', `${path} ${missing}`],
        ['files', `${method} ${missing}`],
        ['files', `${path} ${missing}`],
      ]),
      passing('chat'),
    ],
    verified: ['a.b.c'],
  })
})

test('a request that passes is answered from memory as the same verdict', async () => {
  const rules = Array.from({ length: 9 }, (_, at) => ({ name: `rule ${at}`, request: { paths: [`/v${at}`] } }))
  const { verifier, ask, verified } = createByRules(rules)
  const find = (at: number) => verifier.find('a.b.c', () => ({ path: `/v${at}` }))
  await ask({ path: '/v0' })
  const first = find(0)
  const isSame = find(0) === first
  const others: unknown[] = []
  for (let at = 0; at < 9; at += 1) others.push(await ask({ path: `/v${at}` }))
  expect({ isSame, others, again: find(0), verified }).toEqual({
    isSame: true,
    others: rules.map(({ name }) => passing(name)),
    again: first,
    verified: ['a.b.c'],
  })
})

test('a caller whom no request helps is refused for the missing claims', async () => {
  const { ask, verified } = createByRules([chat, files])
  const requests = [{ path: '/v1/messages' }, {}]
  const guests = await Promise.all(requests.map((request) => ask(request, 'a.guest.c')))
  const developers = await Promise.all([ask({ path: '/v1/messages' }), ask({ path: '/v1/files', method: 'GET' })])
  const lack = 'groups (no accepted value)'
  const refused = noRule(
    ['chat', 'files'].map((rule) => [rule, lack] as const),
    guest,
  )
  expect({ guests, developers, verified }).toEqual({
    guests: [refused, refused],
    developers: [passing('chat'), passing('files')],
    verified: ['a.guest.c', 'a.b.c'],
  })
})

test('a token for single use passes once with whatever request', async () => {
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
  const lack = "the request's path (no accepted value)"
  const replayed = { outcome: 'refused', identity: developer, refusal: { reason: 'replayed' } }
  expect(asked).toEqual([
    noRule(['chat', 'files'].map((rule) => [rule, lack] as const)),
    ...[passing('chat'), replayed, replayed],
  ])
})

test('a gateway whose description cannot be read lets nobody pass', async () => {
  const { ask, verifier } = createByRules([chat])
  await ask({ path: '/v1/messages' })
  const read = () => {
    throw new RangeError('no such header')
  }
  const defect = { outcome: 'refused', refusal: { reason: 'defect', note: 'RangeError' } }
  expect([toWhole(verifier.find('a.b.c', read)), toWhole(await verifier.verify('a.b.c', read))]).toEqual([
    defect,
    defect,
  ])
})
