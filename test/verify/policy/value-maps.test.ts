import { describe, expect, test } from 'vitest'
import { requireRule } from '../../../src/verify/policy/match-rules.ts'
import { parsePolicy } from '../../../src/verify/policy/parse-policy.ts'
import { TokenRefusal } from '../../../src/verify/verdict.ts'
import { identityWith, issuer, policyFile } from './policy-text.ts'

const names = { 'g-1': 'research', 'g-2': 'support', 'g-3': 'research', 'g-4': 'Zoë, admin' }
type Unlisted = 'left out' | 'refused'

function readWith(header: string, unlisted: unknown, more: Readonly<Record<string, unknown>> = {}) {
  const rules = [{ name: 'people', issuer, claims: { sub: ['dana'] }, headers: { 'x-team': header } }]
  return parsePolicy(Buffer.from(JSON.stringify(policyFile({ maps: { teams: { names, unlisted } }, rules, ...more }))))
}

/** Renders the header that an identity with these groups gets, or the note of its refusal. */
function renderWith(header: string, unlisted: Unlisted, groups: unknown): string | undefined {
  const { policy, findings } = readWith(header, unlisted)
  if (!policy) throw new Error(JSON.stringify(findings))
  try {
    return requireRule(identityWith({ groups }), policy).headers['x-team']
  } catch (thrown) {
    if (!(thrown instanceof TokenRefusal)) throw thrown
    return `refused: ${thrown.note}`
  }
}

const unnamed = 'refused: no rule holds: people: groups (no name in a map)'

describe('a value map', () => {
  test.each<[string, string, Unlisted, unknown, string]>([
    ['a value', '{groups|teams}', 'left out', 'g-1', 'research'],
    ['a list', '{groups|teams}', 'refused', ['g-2', 'g-1'], 'support,research'],
    ['each name once', '{groups|teams}', 'left out', ['g-1', 'g-3', 'g-2'], 'research,support'],
    ['text around it', 'team/{groups|teams}', 'left out', ['g-1'], 'team/research'],
    ['a name that no header holds as it is', '{groups|teams}', 'left out', ['g-4'], 'Zo%C3%AB%2C admin'],
    ['other values', '{groups|teams}', 'left out', ['x', 'g-1', 'research'], 'research'],
    ['other values alone', '{groups|teams}', 'left out', ['x'], unnamed],
    ['other values alone where it may be missing', '{groups|teams?}', 'left out', ['x'], ''],
    ['another value that refuses', '{groups|teams}', 'refused', ['g-1', 'x'], unnamed],
    ['another value that refuses where it may be missing', '{groups|teams?}', 'refused', ['g-1', 'x'], unnamed],
    ['no claim', '{groups|teams}', 'refused', undefined, unnamed],
    ['no claim where it may be missing', '{groups|teams?}', 'refused', undefined, ''],
    ['a list with an object', '{groups|teams?}', 'left out', ['g-1', {}], ''],
    ['a member of every object', '{groups|teams}', 'left out', ['constructor', '__proto__'], unnamed],
    ['a name in its place', '{groups|teams}', 'left out', ['research'], unnamed],
  ])('gives the names for %s', (_, header, unlisted, groups, expected) => {
    expect(renderWith(header, unlisted, groups)).toBe(expected)
  })

  test('has to decide about other values', () => {
    expect(readWith('{groups|teams}', undefined).findings).toEqual([
      {
        path: 'maps.teams.unlisted',
        code: 'required-missing',
        severity: 'error',
        message: 'it has to be set',
        hint: 'add "left out" or "refused"',
        line: 1,
        column: expect.any(Number),
      },
    ])
  })

  const summarize = (reading: ReturnType<typeof readWith>) => ({
    works: reading.policy !== undefined,
    findings: reading.findings.map(({ path, code, hint }) => [path, code, hint]),
  })

  test('is required where a header names it', () => {
    expect(summarize(readWith('{groups|team}', 'refused'))).toEqual({
      works: false,
      findings: [
        ['rules[0].headers.x-team', 'unknown-map', 'did you mean "teams"?'],
        ['maps.teams', 'map-unused', 'name it in a header, or remove it'],
      ],
    })
  })

  test('is not an inherited member such as constructor', () => {
    expect(summarize(readWith('{groups|constructor}', 'refused', { maps: {} }))).toEqual({
      works: false,
      findings: [['rules[0].headers.x-team', 'unknown-map', 'add it to maps, beside rules']],
    })
  })

  test('hides no later rule, because a value may have no name', () => {
    const rule = (name: string, value: string) => ({
      name,
      issuer,
      claims: { groups: ['g-*'] },
      headers: { 'x-team': value },
    })
    const hidden = (value: string) =>
      summarize(readWith('', 'left out', { rules: [rule('first', value), rule('second', '{groups|teams?}')] })).findings
    expect(hidden('{groups|teams}')).toEqual([])
    expect(hidden('{groups|teams?}')).toEqual([
      ['rules[1]', 'rule-hidden', 'put the narrower rule first, or remove one'],
    ])
  })
})
