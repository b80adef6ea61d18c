import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { requireRule } from '../../../src/verify/policy/match-rules.ts'
import { listKeyFiles, parsePolicy } from '../../../src/verify/policy/parse-policy.ts'
import type { Policy } from '../../../src/verify/policy/policy.ts'
import { TokenRefusal } from '../../../src/verify/verdict.ts'
import { codePoint } from '../../setup/code-point.ts'
import { identityWith, issuer, policyFile } from './policy-text.ts'

const aws = { audience: 'gateway.example', prefix: 'none' }
const trust = { issuer, audiences: ['a'], keys: { file: 'keys.json' }, types: ['at+jwt'] }
const rules = [
  { name: 'people', issuer, claims: { '[a.b].c': ['x*'] }, headers: { 'x-user': '{sub}-{team?}' }, use: 'once' },
  { name: 'builds', aws: { accounts: ['111122223333'], roles: ['*'] }, claims: { session: ['a'] } },
]
const whole = policyFile({ issuers: [trust], aws, rules, clockSkewSec: 1 })
const text = JSON.stringify(whole)
const keyFiles = new Map([['keys.json', Buffer.from('{"keys": [{"kty": "RSA", "n": "AQAB", "e": "AQAB"}]}')]])

const keys = fc.oneof(
  fc.constantFrom(
    'issuers',
    'issuer',
    'audiences',
    'keys',
    'file',
    'inline',
    'aws',
    'accounts',
    'arns',
    'rules',
    'name',
  ),
  fc.constantFrom('claims', 'headers', 'everyone', 'use', '__proto__', 'constructor', 'toString', 'x-user', 'X-User'),
  fc.string(),
)

const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.string(),
    fc.double(),
    fc.constantFrom(null, true, issuer, '111122223333', '{sub}', 'none', '*', '[a', '{', 'http://x.example', 'once'),
    fc.array(tie('value'), { maxLength: 4 }),
    tie('object'),
  ),
  object: fc.dictionary(keys, tie('value'), { maxKeys: 8, noNullPrototype: true }),
}))

/** Any JSON, a good file with a member replaced anywhere, one with bytes changed, and any bytes. */
const files: fc.Arbitrary<Uint8Array> = fc.oneof(
  values.object.map((value) => Buffer.from(JSON.stringify(value))),
  fc.tuple(fc.nat(), values.value).map(([at, value]) => Buffer.from(JSON.stringify(replaceAt(whole, at, value)))),
  fc.tuple(fc.nat(), fc.uint8Array({ maxLength: 4 })).map(([at, bytes]) => spliceBytes(Buffer.from(text), at, bytes)),
  fc.uint8Array(),
)

function replaceAt(root: unknown, at: number, value: unknown): unknown {
  const copy = structuredClone(root)
  const places: (() => void)[] = []
  const visit = (node: unknown) => {
    if (typeof node !== 'object' || node === null) return
    for (const key of Object.keys(node)) {
      const members = node as Record<string, unknown>
      places.push(() => {
        members[key] = value
      })
      visit(members[key])
    }
  }
  visit(copy)
  places[at % places.length]?.()
  return copy
}

function spliceBytes(bytes: Buffer, at: number, inserted: Uint8Array): Uint8Array {
  const place = at % bytes.length
  return Buffer.concat([bytes.subarray(0, place), inserted, bytes.subarray(place + inserted.length)])
}

test('any file is a policy or has an error, each finding with its words and a hint', () => {
  fc.assert(
    fc.property(files, (bytes) => {
      const { policy, findings } = parsePolicy(bytes, keyFiles)
      listKeyFiles(bytes)
      const words = findings.filter(
        ({ severity, message, hint, path }) =>
          !['error', 'warning', 'info'].includes(severity) ||
          /undefined|\[object|NaN/.test(`${message}${hint}`) ||
          message === '' ||
          hint === '' ||
          typeof path !== 'string',
      )
      const hasPolicy = !findings.some(({ severity }) => severity === 'error')
      expect({ hasPolicy: policy !== undefined, words }).toEqual({ hasPolicy, words: [] })
    }),
    { numRuns: 1000 },
  )
})

test('no value of a file is repeated: it may be a secret in the wrong place', () => {
  const places = text.matchAll(/"(?:[^"\\]|\\.)*"(?!:)|\btrue\b|\b\d+\b/g)
  const repeated = [...places].flatMap(({ 0: { length }, index }) => {
    const changed = `${text.slice(0, index)}"hunter2 canary"${text.slice(index + length)}`
    const { findings } = parsePolicy(Buffer.from(changed), keyFiles)
    return JSON.stringify(findings).includes('hunter2') ? [changed] : []
  })
  expect(repeated).toEqual([])
})

test('a file that is written up to any byte is refused', () => {
  const bytes = Buffer.from(text)
  const accepted = bytes.keys().filter((length) => parsePolicy(bytes.subarray(0, length), keyFiles).policy)
  expect([...accepted]).toEqual([])
  expect(parsePolicy(bytes, keyFiles).policy).toBeDefined()
})

describe('a file that', () => {
  const nested = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  const many = (item: unknown) => Array.from({ length: 20_000 }, () => item)
  test.each<[string, string | Uint8Array, string]>([
    ['is empty', '', 'empty-file'],
    ['is a list', '[]', 'not-an-object'],
    ['is null', 'null', 'not-an-object'],
    ['is a web page', '<!DOCTYPE html><html>', 'html-page'],
    ['is UTF-16', Buffer.from(`\ufeff${text}`, 'utf16le'), 'utf16'],
    ['is Latin 1', Buffer.from('{"rules": "\xe9"}', 'latin1'), 'not-utf8'],
    ['has a comment', `{ // x\n ${text.slice(1)}`, 'not-json'],
    ['is followed by another', `${text}${text}`, 'not-json'],
    ['is nested deeply', `{"rules": ${nested}}`, 'too-deep'],
    ['is long', text + ' '.repeat(1024 * 1024), 'too-large'],
    ['has a key twice', text.replace('"use"', '"name":"people","use"'), 'life-unbounded, duplicate-key'],
    [
      'has a key twice, once escaped',
      text.replace('"use"', '"n\\u0061me":"people","use"'),
      'life-unbounded, duplicate-key',
    ],
    [
      'changes a prototype',
      text.replace('{"issuers"', '{"__proto__":{"rules":[]},"issuers"'),
      'reserved-key, life-unbounded',
    ],
    [
      'changes one in a rule',
      text.replace('"claims":{', '"claims":{"__proto__":["*"],'),
      'life-unbounded, reserved-key',
    ],
    [
      'has many rules',
      JSON.stringify(policyFile({ rules: many({}) })),
      'issuer-unused, out-of-range, rule-of-nobody, left-out',
    ],
    [
      'has many wrong keys',
      JSON.stringify(Object.fromEntries(many(0).map((_, at) => [`rules${at}`, 0]))),
      'required-missing, unknown-key, left-out',
    ],
    [
      'has many patterns',
      JSON.stringify(policyFile({ rules: [{ ...rules[0], claims: { a: many('x') } }] })),
      'out-of-range',
    ],
    ['has many names of headers', JSON.stringify(manyHeaders(33)), 'out-of-range'],
  ])('%s is refused soon', { timeout: 5000 }, (_, content, code) => {
    const { policy, findings } = parsePolicy(typeof content === 'string' ? Buffer.from(content) : content, keyFiles)
    expect([policy, [...new Set(findings.map((finding) => finding.code))].join(', ')]).toEqual([undefined, code])
    expect(findings.length).toBeLessThanOrEqual(201)
  })

  test('has a byte-order mark is read with a warning', () => {
    const { policy, findings } = parsePolicy(Buffer.from(`\ufeff${JSON.stringify(policyFile())}`))
    expect([policy !== undefined, findings.map(({ code }) => code)]).toEqual([true, ['byte-order-mark']])
  })
})

function manyHeaders(count: number) {
  const headers = Object.fromEntries(Array.from({ length: count }, (_, at) => [`x-${at}`, '{sub}']))
  return policyFile({ rules: [{ name: 'a', issuer, everyone: true, headers }] })
}

test('any claims give headers that can be sent as they are, or nobody passes', () => {
  const everyone = { issuer, everyone: true, headers: { 'x-a': '{a}', 'x-b': 'b {b?};{[__proto__].a?}' } }
  const [first, second] = [
    { ...everyone, name: 'one', everyone: undefined, claims: { a: ['*x*'] } },
    { ...everyone, name: 'two' },
  ]
  const { policy } = parsePolicy(Buffer.from(JSON.stringify(policyFile({ rules: [first, second] }))))
  const claims = fc.record({ a: values.value, b: fc.oneof(fc.string({ unit: codePoint }), values.value) })
  fc.assert(
    fc.property(claims, (given) => {
      const headers = headersOf(policy!, given)
      if (headers === 'refused') return
      expect(Object.keys(headers)).toEqual(['x-a', 'x-b'])
      const isWritable = (value: string) => /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value)
      expect(Object.values(headers).filter((value) => !isWritable(value))).toEqual([])
      if (typeof given.a === 'string') expect(decodeURIComponent(headers['x-a']!)).toBe(given.a)
    }),
    { numRuns: 300 },
  )
})

function headersOf(policy: Policy, claims: Readonly<Record<string, unknown>>) {
  try {
    return requireRule(identityWith(claims), policy).headers
  } catch (thrown) {
    if (thrown instanceof TokenRefusal) return 'refused'
    throw thrown
  }
}
