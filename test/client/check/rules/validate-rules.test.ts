import { expect, test } from 'vitest'
import type { CheckFacts } from '../../../../src/client/check/rules/rule.ts'
import { expandRules, type RuleId } from '../../../../src/client/check/rules/rules.ts'
import { validateRules } from '../../../../src/client/check/rules/validate-rules.ts'
import type { Run } from '../../../../src/client/check/runs/run.ts'
import type { Observation, ScenarioName } from '../../../../src/client/check/scenarios/scenario.ts'

const endsAt = Date.UTC(2026, 0, 15, 12)

/** A run that succeeded, as a table can change it. */
const run = (changes: Partial<Run> = {}): Run => ({
  title: 'in the context background',
  purpose: 'observed',
  context: 'background',
  mayPrompt: false,
  isNetworkIntact: true,
  ended: { how: 'exited', status: 0 },
  limitMs: 60_000,
  durationMs: 100,
  endedAt: endsAt,
  output: printed('a', 7200),
  stderr: '',
  exposures: [],
  browsers: [],
  nesting: 1,
  proxyConnections: 0,
  remotes: [],
  terminal: '',
  ...changes,
})

function printed(fingerprint: string, lifeSec?: number): Run['output'] {
  const end = lifeSec === undefined ? {} : { end: { source: 'JWT exp', at: endsAt + lifeSec * 1000 } as const }
  return { bytes: 40, ok: true, token: { fingerprint, bytes: 36, ...end }, headers: [], warnings: [] }
}

const refresh = (changes: Partial<Run> = {}) =>
  run({ title: 'in mid-session-refresh', context: 'mid-session-refresh', output: printed('b', 7200), ...changes })

function validate(
  rule: RuleId,
  observed: Partial<Record<ScenarioName, readonly Run[]>>,
  changes: Partial<CheckFacts> = {},
) {
  const scenes = Object.entries(observed).map(([name, runs]): [ScenarioName, Observation] => [
    name as ScenarioName, // a key of the argument
    { runs },
  ])
  const all = Object.values(observed).flat()
  const facts: CheckFacts = {
    command: '/opt/helper',
    args: [],
    platform: 'linux',
    file: 'script',
    ttlSec: 3600,
    refreshSec: 20,
    allRuns: all,
    exposedFiles: [],
    ...changes,
  }
  const verdicts = validateRules(expandRules([rule]), new Map(scenes), facts)
  const { verdict, seen, because } = verdicts.find((row) => row.rule === rule)!
  return { verdict, seen, ...(because && { because }) }
}

test('a rule whose need failed says because of which, and only that', () => {
  const broken = run({ ended: { how: 'exited', status: 3 }, stderr: 'no session' })
  expect(validate('token-life', { background: [broken], 'silent-contexts': [] })).toEqual({
    verdict: 'not-applicable',
    seen: 'skipped: exit-status failed',
    because: 'exit-status',
  })
})

test('a token with an hour under a ttl of an hour lives long enough; one with less does not', () => {
  const life = (lifeSec: number) => validate('token-life', { background: [run({ output: printed('a', lifeSec) })] })
  expect(life(3599)).toEqual({ verdict: 'pass', seen: 'at least 3599 s (JWT exp), under a ttl of 3600 s' })
  expect(life(3500)).toMatchObject({ verdict: 'fail' })
  expect(life(-5)).toEqual({
    verdict: 'fail',
    seen: 'the token printed in the context background had expired 5 s earlier (JWT exp)',
  })
})

test('a token that does not say when it ends is checked with the life that the caller states', () => {
  const background = [run({ output: printed('a') })]
  expect(validate('token-life', { background })).toMatchObject({ verdict: 'not-applicable' })
  expect(validate('token-life', { background }, { tokenLifeSec: 900 })).toMatchObject({ verdict: 'fail' })
})

test('in a refresh the token of an earlier refresh is new, the one of a normal run is not', () => {
  const background = [run()]
  const dead = [refresh({ isNetworkIntact: false })]
  const fresh = { background, 'network-dead': dead, refresh: [refresh()] }
  expect(validate('refresh-fresh', fresh)).toMatchObject({ verdict: 'pass' })
  const stale = { background, refresh: [refresh({ output: printed('a', 7200) })] }
  expect(validate('refresh-fresh', stale)).toEqual({
    verdict: 'fail',
    seen: 'the same token as in the context background',
  })
})

test('a refresh that takes most of its time is a warning', () => {
  const slow = { background: [run()], refresh: [refresh({ durationMs: 12_000 })] }
  expect(validate('refresh-in-time', slow)).toEqual({
    verdict: 'warn',
    seen: 'it took 12 s of the 20 s that a client waits',
  })
})

test('a person who is asked to sign in when present is no failure', () => {
  const asking = run({ mayPrompt: true, browsers: ['open'], ended: { how: 'timeout', process: 'killed' } })
  const seen = { background: [run()], 'silent-contexts': [run()], interactive: [asking] }
  expect(validate('every-context', seen)).toMatchObject({ verdict: 'pass' })
  expect(validate('no-browser', seen)).toMatchObject({ verdict: 'pass' })
})

test.each<[what: string, changes: Partial<Run>, verdict: string]>([
  ['a token', {}, 'pass'],
  [
    'a message',
    { ended: { how: 'exited', status: 6 }, stderr: 'the issuer cannot be reached', output: empty(0) },
    'pass',
  ],
  ['bytes on stdout', { ended: { how: 'exited', status: 6 }, stderr: 'unreachable', output: empty(2) }, 'fail'],
  ['silence', { ended: { how: 'exited', status: 6 }, output: empty(0) }, 'fail'],
  ['nothing with status 0', { stderr: 'unreachable', output: empty(0) }, 'fail'],
  ['a wait', { ended: { how: 'timeout', process: 'killed' }, output: empty(0) }, 'fail'],
  ['a crash', { ended: { how: 'signal', signal: 'SIGSEGV' }, output: empty(0) }, 'fail'],
  ['a stack', { ended: { how: 'exited', status: 1 }, stderr: 'Traceback (most recent …', output: empty(0) }, 'warn'],
])('without a network, %s is a %s', (_, changes, verdict) => {
  const seen = { background: [run()], 'network-dead': [refresh(changes)], refresh: [refresh()] }
  expect(validate('network-dead', seen)).toMatchObject({ verdict })
})

function empty(bytes: number): Run['output'] {
  return { bytes, ok: false, reason: 'empty', message: 'stdout is empty although the exit status is 0' }
}

test('a helper that ended before it was killed: the rule does not apply', () => {
  const killed = run({ purpose: 'killed' })
  const seen = {
    background: [run()],
    'silent-contexts': [run()],
    interactive: [run()],
    refresh: [refresh()],
    parallel: [run()],
    'after-kill': [killed, run()],
  }
  expect(validate('after-kill', seen)).toMatchObject({ verdict: 'not-applicable' })
})

test('AWS_CREDENTIAL_EXPIRATION is the end of what is made of these credentials', () => {
  const bedrock = { signedAt: endsAt, expiresSec: 3600, signature: 'unknown' } as const
  const output = { ...printed('a'), token: { fingerprint: 'a', bytes: 900, bedrock } } as Run['output'] // a healthy output
  const seen = { background: [run({ output })], refresh: [refresh({ output })] }
  expect(validate('bedrock-life', seen)).toMatchObject({ verdict: 'pass' })
  expect(validate('bedrock-life', seen, { credentialsEnd: endsAt + 60_000 })).toMatchObject({ verdict: 'fail' })
})
