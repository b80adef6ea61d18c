import fc from 'fast-check'
import { expect, test } from 'vitest'
import { outputFormats } from '../../src/contract/output-format.ts'
import { listSourceKinds } from '../../src/contract/source-kinds.ts'
import { type CallOutcome, longestOutcomeLine, renderOutcome, tokenOrigins } from '../../src/outcomes/call-outcome.ts'
import { parseOutcome } from '../../src/outcomes/parse-outcome.ts'
import { stageKinds } from '../../src/runtime/deadline.ts'

const outcome: CallOutcome = {
  time: 1_790_000_000_000,
  helper: 'aws-bedrock-token',
  version: '1.2.3',
  context: 'scheduled-task',
  format: 'credential-process',
  outcome: 'sign-in-required',
  status: 4,
  ms: 58_000,
  origin: 'kept',
  source: 'oidc-entra-external',
  mintMs: 57_000,
  late: 'configuration',
}

test('an outcome is one line that reads back', () => {
  const line = renderOutcome(outcome)
  expect({ line, outcome: parseOutcome(line) }).toEqual({
    line: '{"time":1790000000000,"helper":"aws-bedrock-token","version":"1.2.3","context":"scheduled-task","format":"credential-process","outcome":"sign-in-required","status":4,"ms":58000,"origin":"kept","source":"oidc-entra-external","mintMs":57000,"late":"configuration"}',
    outcome,
  })
})

test('the longest outcome fits into a line', () => {
  const longest = (words: readonly string[]) => words.toSorted((a, b) => b.length - a.length)[0] as never
  const long: CallOutcome = {
    ...outcome,
    helper: `a${'b'.repeat(47)}`,
    version: `999999.999999.999999-${'a'.repeat(24)}`,
    context: 'mid-session-refresh',
    format: longest(outputFormats),
    origin: longest(tokenOrigins),
    source: longest(listSourceKinds()),
    status: 70,
    ms: Number.MAX_SAFE_INTEGER,
    mintMs: Number.MAX_SAFE_INTEGER,
    late: longest(stageKinds),
  }
  expect(Buffer.byteLength(renderOutcome(long))).toBeLessThan(longestOutcomeLine)
  expect(parseOutcome(renderOutcome(long))).toEqual(long)
})

test('an absent member is left out', () => {
  const { origin: _, source: __, mintMs: ___, late: ____, ...failed } = outcome
  expect(parseOutcome(renderOutcome({ ...failed, source: undefined }))).toEqual(failed)
})

test.each([
  ['a text that is not JSON', '{'],
  ['an array', '[]'],
  ['a member that nobody knows', JSON.stringify({ ...outcome, note: 'x' })],
  ['a missing member', JSON.stringify({ ...outcome, helper: undefined })],
  ['a source that we do not know', JSON.stringify({ ...outcome, source: 'https://token.example' })],
  ['a helper with a path', JSON.stringify({ ...outcome, helper: '../aws' })],
  ['a version with words', JSON.stringify({ ...outcome, version: '1.2.3 of Eve' })],
  ['a number below zero', JSON.stringify({ ...outcome, ms: -1 })],
  ['a number with a fraction', JSON.stringify({ ...outcome, ms: 0.5 })],
  ['a number as text', JSON.stringify({ ...outcome, ms: '12' })],
  ['a line that is too long', `${JSON.stringify(outcome)}${' '.repeat(longestOutcomeLine)}`],
])('%s is not read', (_, line) => {
  expect(parseOutcome(line)).toBeUndefined()
})

test('only the closed words are read, whichever member holds them', () => {
  const members = fc.constantFrom(...(Object.keys(outcome) as (keyof CallOutcome)[]))
  const text = fc.string({ minLength: 1 }).filter((value) => /[^a-z0-9.-]/.test(value))
  fc.assert(
    fc.property(
      members,
      text,
      (name, value) => parseOutcome(JSON.stringify({ ...outcome, [name]: value })) === undefined,
    ),
  )
})
