import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type HelperContext, helperContexts } from '../../src/contract/context.ts'
import { entryOf, isAlive, isFresh, parseEntry, renderEntry, type TokenEntry } from '../../src/helper/token-entry.ts'
import { Secret } from '../../src/runtime/secret.ts'

const now = Date.UTC(2026, 0, 15, 12)
const ttl = 3600
const start = 1_000

interface Case {
  /** Milliseconds since the entry was minted. */
  readonly age: number
  /** Seconds that it still lives. */
  readonly left: number
  readonly mintedIn?: HelperContext
}

/** Judges an entry in a process that started a second ago, for a client with a ttl of an hour. */
function judge(context: HelperContext, { age, left, mintedIn = 'interactive' }: Case): boolean {
  const entry = {
    token: new Secret('t'),
    minted: now - age,
    expiresAt: now + left * 1000,
    context: mintedIn,
    facts: {},
  }
  return isFresh(entry, { context, now, startedAt: now - start, clientTtlSec: ttl })
}

const old = 1_800_000
const refresh = 'mid-session-refresh'
const anyOther = [...helperContexts.filter((context) => context !== refresh), 'terminal', 'unknown'] as const

test.each<[why: string, entry: Case, fresh: boolean]>([
  ['outlives the ttl by more than a minute', { age: old, left: ttl + 61 }, true],
  ['outlives the ttl by exactly a minute', { age: old, left: ttl + 60 }, true],
  ['outlives the ttl by less than a minute', { age: old, left: ttl + 59.999 }, false],
  ['was minted for a refresh and outlives the ttl', { age: old, left: ttl + 60, mintedIn: refresh }, true],
  ['falls short and was minted 10 s ago', { age: 10_000, left: 60 }, true],
  ['falls short and was minted a little longer ago', { age: 10_001, left: 60 }, false],
  ['falls short and was minted after this process started', { age: 999, left: 1 }, true],
  ['was minted this very moment', { age: 0, left: 1 }, true],
  ['has expired just now', { age: 0, left: 0 }, false],
  ['has expired, although it was just minted', { age: 500, left: -1 }, false],
  ['was minted in the future', { age: -1, left: 2 * ttl }, false],
  ['was minted far in the future', { age: -1e12, left: 1e12 }, false],
])('an entry that %s, %j, is fresh outside a refresh: %s', (_, entry, fresh) => {
  expect(anyOther.map((context) => [context, judge(context, entry)])).toEqual(
    anyOther.map((context) => [context, fresh]),
  )
})

test.each<[why: string, entry: Case, fresh: boolean]>([
  ['was minted after this process started', { age: 999, left: 1 }, true],
  ['was minted as this process started', { age: 1_000, left: 2 * ttl }, false],
  ['outlives everything and is old', { age: old, left: 12 * ttl }, false],
  ['outlives everything and was minted 10 s ago for another reason', { age: 10_000, left: 12 * ttl }, false],
  ['was minted 10 s ago for the same refresh', { age: 10_000, left: 60, mintedIn: refresh }, true],
  ['was minted longer ago for an earlier refresh', { age: 10_001, left: 12 * ttl, mintedIn: refresh }, false],
  ['has expired, although minted for the same refresh', { age: 500, left: 0, mintedIn: refresh }, false],
  ['was minted for a refresh in the future', { age: -1, left: ttl, mintedIn: refresh }, false],
])('an entry that %s, %j, is fresh in a refresh: %s', (_, entry, fresh) => {
  expect(judge(refresh, entry)).toBe(fresh)
})

test('an entry after the start of a process counts even where the process started long ago', () => {
  const entry = {
    token: new Secret('t'),
    minted: now - 15_000,
    expiresAt: now + 1,
    context: 'background',
    facts: {},
  } as const
  expect(isFresh(entry, { context: refresh, now, startedAt: now - 15_001, clientTtlSec: ttl })).toBe(true)
})

test.each<[minted: number, expiresAt: number, alive: boolean]>([
  [now - 1, now + 1, true],
  [now, now + 1, true],
  [now - 1, now, false],
  [now + 1, now + 2, false],
])('minted at %s and ending at %s, a token is alive: %s', (minted, expiresAt, alive) => {
  expect(isAlive({ token: new Secret('t'), minted, expiresAt, context: 'unknown', facts: {} }, now)).toBe(alive)
})

test('the entry of a new token holds when and why it was minted', () => {
  const token = new Secret('t')
  const minted = { token, expiresAt: new Date(now + 5), facts: { account: '1' } }
  expect(entryOf(minted, 'background', now)).toEqual({
    token,
    expiresAt: now + 5,
    minted: now,
    context: 'background',
    facts: { account: '1' },
  })
})

test('a token with no known end has no entry', () => {
  expect(entryOf({ token: new Secret('t'), expiresAt: undefined, facts: {} }, 'background', now)).toBeUndefined()
})

/** An entry with its token in the open, so that two can be compared. */
const open = (entry: TokenEntry | undefined) => entry && { ...entry, token: entry.token.reveal() }

test('whatever entry is rendered is read back equal', () => {
  const entry = fc.record({
    token: fc.string({ unit: 'binary' }).map((text) => new Secret(text)),
    expiresAt: fc.integer(),
    minted: fc.integer(),
    context: fc.constantFrom<HelperContext>(...helperContexts, 'terminal', 'unknown'),
    facts: fc.dictionary(fc.string(), fc.string()),
  })
  fc.assert(
    fc.property(entry, (original) => {
      expect(open(parseEntry(renderEntry(original)))).toEqual(open(original))
    }),
  )
})

const good = { format: 1, token: 't', expiresAt: 2, minted: 1, context: 'unknown', facts: {} }

test('the text of an entry is this, until the format number rises', () => {
  const entry = { token: new Secret('t'), expiresAt: 2, minted: 1, context: 'unknown', facts: {} } as const
  expect(JSON.parse(renderEntry(entry))).toEqual(good)
})

test.each<[what: string, text: string]>([
  ['empty', ''],
  ['torn', JSON.stringify(good).slice(0, -1)],
  ['NUL from a crash of the machine', '\0'.repeat(64)],
  ['null', 'null'],
  ['a list', '[]'],
  ['a text', '"t"'],
  ['an empty object', '{}'],
  ['of another format', JSON.stringify({ ...good, format: 2 })],
  ['without a format', JSON.stringify({ ...good, format: undefined })],
  ['with a token that is no text', JSON.stringify({ ...good, token: 1 })],
  ['without a token', JSON.stringify({ ...good, token: undefined })],
  ['with an end that is no number', JSON.stringify({ ...good, expiresAt: '2' })],
  ['with an endless end', JSON.stringify({ ...good, expiresAt: Number.POSITIVE_INFINITY })],
  ['without a beginning', JSON.stringify({ ...good, minted: undefined })],
  ['with a context of its own', JSON.stringify({ ...good, context: 'sometimes' })],
  ['with facts that are null', JSON.stringify({ ...good, facts: null })],
  ['with a fact that is no text', JSON.stringify({ ...good, facts: { account: 1 } })],
])('a file that is %s is no entry', (_, text) => {
  expect(parseEntry(text)).toBeUndefined()
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
        parseEntry(text)
      },
    ),
  )
})
