import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRelations, listCombinations } from '../../src/bootstrap/group-combinations.ts'
import { toLoadedGroup } from '../../src/bootstrap/open-release.ts'
import type { Rollout, RolloutGroup } from '../../src/bootstrap/rollout.ts'
import { selectGroups } from '../../src/bootstrap/select-document.ts'
import { isPatternMatch } from '../../src/runtime/text/star-pattern.ts'

type Given = Pick<Rollout, 'groups'> & Partial<Rollout>

function list(given: Given): string[] | undefined {
  const rollout = { singleValued: [], others: 'base', ...given } as unknown as Rollout
  return listCombinations(rollout, createRelations(rollout))?.map((groups) =>
    groups.map(({ name }) => name).join(' < '),
  )
}

const group = (name: string, claims: RolloutGroup['claims'], other: Partial<RolloutGroup> = {}): RolloutGroup => ({
  name,
  claims,
  overlays: ['x.json'],
  ...other,
})

describe('combinations of groups', () => {
  test('are all subsets in the order of precedence where no group excludes another', () => {
    const groups = [group('b', { g: ['b'] }, { precedence: 2 }), group('a', { g: ['a'] }, { precedence: 1 })]
    expect(list({ groups })).toEqual(['', 'a', 'b', 'a < b'])
    expect(list({ groups, others: 'nothing' })).toEqual(['a', 'b', 'a < b'])
  })

  test('never join two groups that need different values or issuers of one claim', () => {
    const groups = [group('de', { c: ['de*'] }), group('fr', { c: ['fr*'] }), group('dx', { '[c]': ['*x'] })]
    expect(list({ groups, singleValued: ['c'] })).toEqual(['', 'dx', 'fr', 'fr < dx', 'de', 'dx < de'])
    expect(
      list({ groups: [group('a', { g: ['x'] }, { issuer: 'i' }), group('b', { g: ['x'] }, { issuer: 'j' })] }),
    ).toEqual(['', 'b', 'a'])
  })

  test('always include a group that everybody of another one is in', () => {
    expect(list({ groups: [group('all', { g: ['*'] }), group('eng', { g: ['eng'] })] })).toEqual([
      '',
      'all',
      'eng < all',
    ])
  })

  test('hold at most one group of a choice', () => {
    const choice = 'plan'
    const groups = [
      group('gold', { plan: ['gold'] }, { choice, precedence: 3 }),
      group('any', { plan: ['*'] }, { choice, precedence: 2 }),
      group('silver', { plan: ['silver'] }, { choice, precedence: 1 }),
    ]
    expect(list({ groups })).toEqual(['', 'gold', 'any'])
  })

  test('are not listed where there are more than can be served', () => {
    const groups = Array.from({ length: 40 }, (_, index) => group(`g${index}`, { g: [`${index}`] }))
    const counts = [{ groups }, { groups: groups.slice(0, 12) }, { groups, singleValued: ['g'] }].map(
      (rollout) => list(rollout)?.length,
    )
    expect(counts).toEqual([undefined, 4096, 41])
  })

  test('include every one that a person can have', () => {
    const pattern = fc.constantFrom('a', 'b', 'ab', 'a*', '*b', '*', 'a*b')
    const claims = fc.dictionary(fc.constantFrom('one', 'many'), fc.array(pattern, { minLength: 1, maxLength: 2 }), {
      minKeys: 1,
      noNullPrototype: true,
    })
    const groupOf = fc.record({
      claims,
      issuer: fc.constantFrom(undefined, 'i', 'j'),
      choice: fc.constantFrom(undefined, 'c', 'd'),
      precedence: fc.constantFrom(undefined, 1, 2),
    })
    const text = fc.constantFrom('a', 'b', 'ab', 'aab', 'x')
    const person = fc.record({ one: text, many: fc.array(text, { maxLength: 3 }) }, { requiredKeys: [] })
    fc.assert(
      fc.property(fc.array(groupOf, { maxLength: 5 }), person, fc.constantFrom('i', 'j'), (rows, claimsOf, issuer) => {
        const groups = rows.map((row, index) => group(`g${index}`, row.claims, row as Partial<RolloutGroup>))
        const loaded = groups.map(({ overlays, ...row }) => toLoadedGroup(row))
        const own = selectGroups(loaded, { kind: 'jwt', issuer, subject: 's', claims: claimsOf }).map(
          ({ name }) => name,
        )
        const found = list({ groups, singleValued: ['one'] })!
        const sets = new Set(found.map((names) => names.split(' < ').toSorted().join()))
        expect({ own, isListed: sets.has(own.toSorted().join()) }).toEqual({ own, isListed: true })
      }),
    )
  })
})

test('two groups are apart if no text matches the patterns of both for a claim with one value', () => {
  const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 5 })
  const texts = ['', ...expand(['a', 'b'], 6)]
  fc.assert(
    fc.property(pattern, pattern, (one, other) => {
      // The shortest common text is not longer than both patterns together.
      const isSeen = texts.some((text) => isPatternMatch(one, text) && isPatternMatch(other, text))
      if (!isSeen && one.length + other.length > 6) return
      const groups = [group('a', { c: [one] }), group('b', { c: [other] })] as const
      const { isApart } = createRelations({ singleValued: ['c'], groups: [...groups] })
      expect([one, other, isApart(...groups)]).toEqual([one, other, !isSeen])
    }),
  )
})

function expand(letters: string[], length: number): string[] {
  if (length === 0) return []
  const shorter = ['', ...expand(letters, length - 1)]
  return [...new Set(shorter.flatMap((text) => letters.map((letter) => letter + text)))]
}
