import { describe, expect, test } from 'vitest'
import { requireRule } from '../../../src/verify/policy/match-rules.ts'
import { parsePolicy } from '../../../src/verify/policy/parse-policy.ts'
import { parseRequestFacts, type RequestFacts } from '../../../src/verify/policy/request-condition.ts'
import { TokenRefusal } from '../../../src/verify/verdict.ts'
import { identityWith, issuer, policyFile, policyOf } from './policy-text.ts'

describe('the path of a request', () => {
  test.each<[target: string, path: string | undefined]>([
    ['/v1/messages', '/v1/messages'],
    ['/v1/messages?beta=true', '/v1/messages'],
    ['/v1/messages?a=/../&b=//%2e', '/v1/messages'],
    ['/v1/', '/v1/'],
    ['/', '/'],
    ['/model/anthropic.claude-v1%3A0/invoke', '/model/anthropic.claude-v1:0/invoke'],
    ['/models/claude%402026:rawPredict', '/models/claude@2026:rawPredict'],
    ['', undefined],
    ['*', undefined],
    ['v1/messages', undefined],
    ['https://gateway.example/v1/messages', undefined],
    ['//v1/messages', undefined],
    ['/v1//messages', undefined],
    ['/v1/messages//', undefined],
    ['/v1/./messages', undefined],
    ['/admin/../v1/messages', undefined],
    ['/v1/messages/..', undefined],
    ['/v1/.../messages', undefined],
    ['/v1/%2e%2e/admin', undefined],
    ['/v1%2fmessages', undefined],
    ['/v1/%6dessages', undefined],
    ['/v1/%253A', undefined],
    ['/v1/messages;x=1', undefined],
    ['/v1/..;/admin', undefined],
    ['/v1\\messages', undefined],
    ['/v1/messages#top', undefined],
    ['/v1/messages%00', undefined],
    ['/v1/messages\t', undefined],
    ['/v1/messages\n', undefined],
    ['/v1/mess\u00e4ges', undefined],
    [`/${'a'.repeat(4096)}`, undefined],
  ])('%j is %j', (target, path) => {
    expect(parseRequestFacts({ path: target }).path).toBe(path)
  })
})

test.each<[given: RequestFacts, fact: string | undefined]>([
  [{ host: 'Gateway.Example:8443' }, 'gateway.example'],
  [{ host: '[::1]:443' }, '[::1]'],
  [{ host: 'gateway.example.' }, undefined],
  [{ host: 'gateway.example, other.example' }, undefined],
  [{ host: 'dana@gateway.example' }, undefined],
  [{ method: 'POST' }, 'POST'],
  [{ method: 'post' }, undefined],
  [{ method: 'POST, GET' }, undefined],
  [{ model: 'us.anthropic.claude-v1:0' }, 'us.anthropic.claude-v1:0'],
  [{ model: 'small,large' }, undefined],
  [{ model: '' }, undefined],
])('the rules see %j as %j', (given, fact) => {
  const seen = Object.values(parseRequestFacts(given)).filter((each) => each !== undefined)
  expect(seen).toEqual(fact === undefined ? [] : [fact])
})

describe('a rule for some requests', () => {
  const policy = policyOf([
    {
      name: 'chat',
      issuer,
      claims: { groups: ['llm-*'] },
      request: { hosts: ['*.example'], methods: ['POST'], paths: ['/v1/messages', '/v1/messages/*'] },
      headers: { 'x-user': '{sub}' },
    },
    { name: 'small models', issuer, everyone: true, request: { models: ['small-*'] }, headers: { 'x-user': '{sub}' } },
  ])
  const apply = (request?: RequestFacts | 'any', groups = ['llm-dev']) => {
    try {
      return requireRule(identityWith({ groups }), policy, request).rule.name
    } catch (thrown) {
      return thrown instanceof TokenRefusal ? thrown.detail : thrown
    }
  }
  const chat = { host: 'gateway.example', method: 'POST', path: '/v1/messages' }

  test.each([
    ['its path', chat, ['llm-dev'], 'chat'],
    ['a path below it', { ...chat, path: '/v1/messages/count_tokens' }, ['llm-dev'], 'chat'],
    [
      'another path with a model of the other rule',
      { ...chat, path: '/v1/files', model: 'small-1' },
      ['llm-dev'],
      'small models',
    ],
    ['any request', 'any', ['llm-dev'], 'chat'],
    ['any request of somebody else', 'any', ['staff'], 'small models'],
  ] as const)('holds for such requests alone: %s', (_what, request, groups, rule) => {
    expect(apply(request, [...groups])).toBe(rule)
  })

  test('does not hold where the gateway says nothing, and the caller learns what is missing', () => {
    const lack = (fact: string) => `the request's ${fact} (not passed by the gateway, or ambiguous)`
    expect(apply()).toBe(`no rule accepts its claims: ${['host', 'method', 'path', 'model'].map(lack).join(', ')}`)
    expect(apply({ ...chat, path: undefined, model: 'large' })).toBe(
      `no rule accepts its claims: ${lack('path')}, the request's model (no accepted value)`,
    )
  })
})

test.each<[request: unknown, path: string, message: string]>([
  [{}, 'rules[0].request', 'it asks for nothing'],
  [{ paths: [] }, 'rules[0].request.paths', 'it is empty'],
  [{ paths: ['v1/*'] }, 'rules[0].request.paths[0]', 'no path of a request matches it'],
  [{ paths: ['/v1/../*'] }, 'rules[0].request.paths[0]', 'no path of a request matches it'],
  [{ paths: ['/v1?x'] }, 'rules[0].request.paths[0]', 'no path of a request matches it'],
  [{ methods: ['post'] }, 'rules[0].request.methods[0]', 'no request has this method'],
  [{ hosts: ['Gateway.example'] }, 'rules[0].request.hosts[0]', 'no host of a request matches it'],
  [{ hosts: ['gateway.example:443'] }, 'rules[0].request.hosts[0]', 'no host of a request matches it'],
])('a policy with %j is refused', (request, path, message) => {
  const rules = [{ name: 'people', issuer, everyone: true, request, headers: { 'x-user': '{sub}' } }]
  const { policy, findings } = parsePolicy(Buffer.from(JSON.stringify(policyFile({ rules }))))
  expect({ policy, found: findings.map((each) => [each.severity, each.path, each.message]) }).toEqual({
    policy: undefined,
    found: [['error', path, message]],
  })
})

test('a rule for some requests hides no later rule for all of them, and is hidden by it', () => {
  const narrow = {
    name: 'narrow',
    issuer,
    everyone: true,
    request: { paths: ['/v1/*'] },
    headers: { 'x-user': '{sub}' },
  }
  const wide = { name: 'wide', issuer, everyone: true, headers: { 'x-user': '{sub}' } }
  const find = (rules: readonly unknown[]) =>
    parsePolicy(Buffer.from(JSON.stringify(policyFile({ rules })))).findings.map(({ code, path }) => [code, path])
  expect([find([narrow, wide]), find([wide, narrow])]).toEqual([[], [['rule-hidden', 'rules[1]']]])
})
