import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type HelperContext, helperContexts } from '../../../src/contract/context.ts'
import { parseEntry, parseExpiry, renderEntry, type TokenEntry, toEntry } from '../../../src/helper/cache/entry.ts'
import { Secret } from '../../../src/runtime/secret.ts'
import { codePoint } from '../../setup/code-point.ts'

const now = Date.UTC(2026, 0, 15, 12)
const of = { program: 'tool', key: 'abc' }
const bootedAt = now - 7 * 86_400_000

const making = { context: 'background', now, bootedAt, uses: ['a drawer'] } as const

test('the entry of a new token holds when, why and from what it was minted', () => {
  const token = new Secret('t')
  const minted = { token, expiresAt: new Date(now + 5), clockOffsetMs: -7, facts: { account: '1' } }
  expect(toEntry(minted, making)).toEqual({
    ...making,
    now: undefined,
    token,
    expiresAt: now + 5,
    clockOffsetMs: -7,
    minted: now,
    facts: { account: '1' },
  })
})

test('a token with no known end has no entry', () => {
  expect(toEntry({ token: new Secret('t'), expiresAt: undefined, facts: {} }, making)).toBeUndefined()
})

/** Opens an entry with its token in the open, so that two can be compared. */
const open = (entry: TokenEntry | undefined) => entry && { ...entry, token: entry.token.reveal() }

test('any rendered entry is read back equal', () => {
  const entry = fc.record({
    token: fc.string({ unit: codePoint }).map((text) => new Secret(text)),
    expiresAt: fc.integer(),
    clockOffsetMs: fc.integer(),
    minted: fc.integer(),
    bootedAt: fc.option(fc.integer(), { nil: undefined }),
    context: fc.constantFrom<HelperContext>(...helperContexts, 'terminal', 'unknown'),
    facts: fc.dictionary(fc.string(), fc.string()),
    headers: fc.option(fc.dictionary(fc.string(), fc.string()), { nil: undefined }),
    earlyFraction: fc.option(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { nil: undefined }),
    watched: fc.option(fc.record({ content: fc.string(), state: fc.string(), isRewritten: fc.boolean() }), {
      nil: undefined,
    }),
    uses: fc.array(fc.string()),
  })
  fc.assert(
    fc.property(entry, (original) => {
      expect(open(parseEntry(renderEntry(original, of), of))).toEqual(open(original))
    }),
  )
})

const good = {
  format: 2,
  key: 'tool-abc',
  token: 't',
  expiresAt: 2,
  clockOffsetMs: 0,
  minted: 1,
  bootedAt: 0,
  context: 'unknown',
  facts: {},
  uses: ['a drawer'],
}

test('the text of an entry changes only when the format number rises', () => {
  const { format: _, key: __, ...entry } = { ...good, token: new Secret('t'), context: 'unknown' as const }
  expect(JSON.parse(renderEntry(entry, of))).toEqual(good)
})

test.each<[what: string, text: string]>([
  ['empty', ''],
  ['torn', JSON.stringify(good).slice(0, -1)],
  ['NUL from a crash of the machine', '\0'.repeat(64)],
  ['null', 'null'],
  ['a list', '[]'],
  ['a text', '"t"'],
  ['an empty object', '{}'],
  ['of an older format', JSON.stringify({ ...good, format: 1 })],
  ['of another key', JSON.stringify({ ...good, key: 'tool-abd' })],
  ['of another helper', JSON.stringify({ ...good, key: 'tool2-abc' })],
  ['without a key', JSON.stringify({ ...good, key: undefined })],
  ['without a format', JSON.stringify({ ...good, format: undefined })],
  ['with a token that is no text', JSON.stringify({ ...good, token: 1 })],
  ['without a token', JSON.stringify({ ...good, token: undefined })],
  ['with an end that is no number', JSON.stringify({ ...good, expiresAt: '2' })],
  ['with an endless end', JSON.stringify({ ...good, expiresAt: Number.POSITIVE_INFINITY })],
  ['without a beginning', JSON.stringify({ ...good, minted: undefined })],
  ['with a context of its own', JSON.stringify({ ...good, context: 'sometimes' })],
  ['with a start of the machine that is no number', JSON.stringify({ ...good, bootedAt: '0' })],
  ['without what it was made from', JSON.stringify({ ...good, uses: undefined })],
  ['made from what is no text', JSON.stringify({ ...good, uses: [1] })],
  ['with facts that are null', JSON.stringify({ ...good, facts: null })],
  ['with a fact that is no text', JSON.stringify({ ...good, facts: { account: 1 } })],
  ['with a header that is no text', JSON.stringify({ ...good, headers: { 'X-A': 1 } })],
  ['with watched files that are no object', JSON.stringify({ ...good, watched: 'c' })],
  ['with watched files without their content', JSON.stringify({ ...good, watched: { isRewritten: false } })],
  [
    'with watched files in a state that is no text',
    JSON.stringify({ ...good, watched: { content: 'c', state: 1, isRewritten: false } }),
  ],
  ['with watched files that are half known', JSON.stringify({ ...good, watched: { content: 'c' } })],
  ['with a part of the time that is no number', JSON.stringify({ ...good, earlyFraction: '0.5' })],
  ['with a part of the time that is all of it', JSON.stringify({ ...good, earlyFraction: 1 })],
  ['with a part of the time below nothing', JSON.stringify({ ...good, earlyFraction: -0.1 })],
])('a file that is %s is not an entry', (_, text) => {
  expect(parseEntry(text, of)).toBeUndefined()
})

test('no text makes the reader throw', () => {
  const nearly = fc.record(
    Object.fromEntries(Object.entries(good).map(([key, value]) => [key, fc.oneof(fc.constant(value), fc.jsonValue())])),
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        nearly.map((value) => JSON.stringify(value)),
      ),
      (text) => {
        parseEntry(text, of)
      },
    ),
  )
})

test.each<[what: string, text: string, end: number | undefined]>([
  ['of this format', JSON.stringify(good), 2],
  ['of another format', JSON.stringify({ format: 7, expiresAt: 3 }), 3],
  ['torn', JSON.stringify(good).slice(0, -1), undefined],
  ['foreign', '{"expiresAt":"2026"}', undefined],
])('the expiry of an entry that is %s is read if it is there', (_, text, end) => {
  expect(parseExpiry(text)).toBe(end)
})
