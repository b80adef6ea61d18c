import { expect, test } from 'vitest'
import { computeRecipeDigest, findRecipeTerms } from '../../../src/verify/policy/recipe-terms.ts'
import { openBoundedLog } from '../../../src/verify/server/log.ts'
import { createRecipeWatch } from '../../../src/verify/server/recipe-watch.ts'
import { issuer, policyOf } from '../policy/policy-text.ts'

const people = { name: 'people', issuer, claims: { groups: ['llm-*'] }, headers: { 'x-user': '{sub}' } }
const digestOf = (...rules: unknown[]) => computeRecipeDigest(findRecipeTerms(policyOf(rules))!)
const own = digestOf(people)

/** Returns a watch over a policy that can change, with a clock. */
function stage() {
  const world = { now: 0, policy: policyOf([people]) }
  const lines: unknown[] = []
  const log = openBoundedLog({ format: 'json', now: () => 0, write: (line) => lines.push(JSON.parse(line)) })
  const watch = createRecipeWatch({ policy: () => world.policy, log, now: () => world.now })
  return { world, lines, watch, ask: (value: string) => watch.see(['Host', 'a', 'Gatepass-Recipe', value]) }
}

test('the digest covers only what a configuration takes from the policy', () => {
  const others = { ...people, claims: { groups: ['staff'] } }
  const more = { ...people, headers: { 'x-user': '{sub}', 'x-team': '{team?}' } }
  expect([digestOf(others) === own, digestOf(more) === own, /^[0-9a-f]{12}$/.test(own)]).toEqual([true, false, true])
})

test('a configuration of another policy is reported once, and shown for five minutes after its last question', () => {
  const { world, lines, watch, ask } = stage()
  const lookAt = (now: number) => {
    world.now = now
    return { lines: [...lines], isDifferent: watch.isDifferent() }
  }
  ask(own)
  const before = lookAt(0)
  world.policy = policyOf([{ ...people, headers: { 'x-person': '{sub}' } }])
  ask(own)
  ask(own)
  const line = {
    time: expect.any(String),
    level: 'warning',
    event: 'recipe',
    message:
      'a gateway asks with a configuration that was made from another policy: make it again with: gatepass gateway verifier recipe GATEWAY --policy FILE',
    recipe: own,
    policy_recipe: digestOf({ ...people, headers: { 'x-person': '{sub}' } }),
  }
  const [atOnce, withinFiveMinutes, afterFiveMinutes] = [lookAt(0), lookAt(299_999), lookAt(300_000)]
  world.now = 3_600_000
  ask(own)
  expect({ before, atOnce, withinFiveMinutes, afterFiveMinutes, askedAgain: lookAt(3_600_000) }).toEqual({
    before: { lines: [], isDifferent: false },
    atOnce: { lines: [line], isDifferent: true },
    withinFiveMinutes: { lines: [line], isDifferent: true },
    afterFiveMinutes: { lines: [line], isDifferent: false },
    askedAgain: { lines: [line, line], isDifferent: true },
  })
})

test.each(['', 'abc', own.toUpperCase(), `${own}0`, '$host'])('"%s" is not a digest, and is not reported', (value) => {
  const { lines, watch, ask } = stage()
  ask(value)
  watch.see(['Host', 'a'])
  expect({ lines, isDifferent: watch.isDifferent() }).toEqual({ lines: [], isDifferent: false })
})
