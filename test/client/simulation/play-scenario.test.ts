import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { HelperRun } from '../../../src/client/launch/run-credential-helper.ts'
import { describeConclusions, summarize } from '../../../src/client/simulation/summarize-simulation.ts'
import { Secret } from '../../../src/runtime/secret.ts'
import { brief, play, ranWell, writeShellHelper } from './play.ts'

describe('a token in simulated time', () => {
  const start = ['09:00:00 [1] session-started interactive', '09:00:00 [1] helper-started interactive session-start']

  test('that ends before its ttl has each later turn rescued', async () => {
    const credential = { ...(await writeShellHelper()), ttlSec: 36_000 }
    const events = await play('[start, wait 59m, turn, wait 2m, turn]', { credential })
    expect(brief(events)).toEqual([
      ...start,
      '09:00:00 [1] helper-succeeded',
      '09:59:00 [1] credential-reused',
      '09:59:00 [1] request-answered 200',
      '09:59:00 [1] turn-succeeded',
      '10:01:00 [1] credential-reused',
      '10:01:00 [1] request-answered 401',
      '10:01:00 [1] helper-started mid-session-refresh unauthorized',
      '10:01:00 [1] helper-succeeded',
      '10:01:00 [1] request-answered 200',
      '10:01:00 [1] turn-succeeded',
      '10:01:00 staged the scenario ends',
    ])
  })

  test('that does not say how long it lives is valid for ever, or as long as the scenario says', async () => {
    const credential = await writeShellHelper('echo opaque-$$')
    const runs = async (tokenLifeSec?: number) => {
      const more = tokenLifeSec === undefined ? {} : { tokenLifeSec }
      const events = await play('[start, wait 50m, turn]', { credential, ...more })
      return summarize(events).helperRuns
    }
    expect([await runs(), await runs(1800)]).toEqual([1, 2])
  })

  test('that was expired when it was printed is refused at once', async () => {
    const credential = await writeShellHelper(
      `echo "eyJhbGciOiJub25lIn0.$(printf '{"exp":1}' | base64 | tr -d '=\\n').x"`,
    )
    expect(brief(await play('[start, turn]', { credential })).at(-2)).toBe('09:00:00 [1] turn-failed unauthorized')
  })

  test('that a helper prints again from its own cache is a limit of the simulation', async () => {
    const events = await play('[start, turn, wait 2h, turn]', {
      credential: { command: '/h' },
      tokenLifeSec: 3600,
      runHelper: async () => ranWell({ token: new Secret('always-the-same') }),
    })
    expect({
      last: brief(events).slice(-3),
      summary: summarize(events),
      conclusions: describeConclusions(events),
    }).toEqual({
      last: [
        '11:00:00 [1] turn-failed unauthorized',
        '11:00:00 [1] simulation-limit the helper printed a cached token that has expired in simulated time; its own cache uses real time, so this is not a defect',
        '11:00:00 staged the scenario ends',
      ],
      summary: {
        helperRuns: 3,
        failedRuns: 0,
        signIns: 0,
        failedSignIns: 0,
        renewals: 0,
        failedRenewals: 0,
        waits: { turns: 0, totalMs: 0, longestMs: 0 },
        prompts: 0,
        turns: 2,
        lostTurns: 0,
        lostToSimulation: 1,
      },
      conclusions: [
        "Not shown: what becomes of the turn for which the helper printed a token again that had ended in simulated time. If nothing renews that token without a person, they are lost on a real day as well: switch the helper's own cache off here, or ask gatepass check-helper.",
      ],
    })
  })

  test('that nothing renews without a person loses turns from its end on', async () => {
    const printed = ranWell({ token: new Secret('always-the-same') })
    const failed: HelperRun = {
      ok: false,
      reason: 'exit-status',
      message: 'the helper failed with exit status 4',
      stderr: 'h: nobody is signed in\nh: hint: sign in\n',
      durationMs: 0,
      survivors: 'none',
    }
    const events = await play('[start, turn, wait 2h, turn, wait 5m, turn, start, turn]', {
      credential: { command: '/h' },
      tokenLifeSec: 3600,
      runHelper: async (_, __, { env }) => (env.GATEPASS_REFRESH_CAUSE === 'refused' ? failed : printed),
    })
    expect({ summary: summarize(events), conclusions: describeConclusions(events) }).toEqual({
      summary: {
        helperRuns: 6,
        failedRuns: 3,
        signIns: 0,
        failedSignIns: 0,
        renewals: 0,
        failedRenewals: 0,
        waits: { turns: 0, totalMs: 0, longestMs: 0 },
        prompts: 0,
        turns: 4,
        lostTurns: 3,
        lostToSimulation: 0,
      },
      conclusions: [
        '3 runs of the helper, from 11:00:00 on, ended with status 4: from then on only a sign-in gives a token, and turns are lost until a person starts a new session. The helper said: h: nobody is signed in',
      ],
    })
  })
})

test('a token that reads the same as the last one of the same second is new', async () => {
  const second = Math.floor(Date.now() / 1000)
  const claims = Buffer.from(JSON.stringify({ iat: second, exp: second + 3600 })).toString('base64url')
  vi.spyOn(Date, 'now').mockReturnValue(second * 1000 + 500)
  onTestFinished(() => void vi.restoreAllMocks())
  const events = await play('[start, turn, wait 2h, turn, revoke, turn]', {
    credential: { command: '/h' },
    runHelper: async () => ranWell({ token: new Secret(`e30.${claims}.x`) }),
  })
  expect(summarize(events)).toEqual({
    failedRuns: 0,
    signIns: 0,
    failedSignIns: 0,
    renewals: 0,
    failedRenewals: 0,
    waits: { turns: 0, totalMs: 0, longestMs: 0 },
    prompts: 0,
    helperRuns: 3,
    turns: 3,
    lostTurns: 0,
    lostToSimulation: 0,
  })
})

describe('the environment of a helper', () => {
  test('turns the cache off, and names a dead proxy while the network is down', async () => {
    const seen: (string | undefined)[][] = []
    await play('[start, network down 10m, relaunch, start]', {
      credential: { command: '/h' },
      runHelper: async (_, context, { env }) => {
        seen.push([context, env.GATEPASS_CACHE, env.HTTPS_PROXY, env.PATH])
        return ranWell({ token: new Secret('t') })
      },
    })
    expect(seen).toEqual([
      ['interactive', 'none', undefined, '/usr/bin:/bin'],
      ['interactive', 'none', 'http://127.0.0.1:9', '/usr/bin:/bin'],
    ])
  })
})

test('tells a helper why the client refreshes, which it cannot find out in simulated time', async () => {
  const seen: (string | undefined)[][] = []
  let runs = 0
  await play('[start, turn, wait 61m, turn, revoke, turn, probe]', {
    credential: { command: '/h' },
    runHelper: async (_, context, { env }) => {
      runs += 1
      seen.push([context, env.GATEPASS_REFRESH_CAUSE])
      return ranWell({ token: new Secret(`t-${runs}`) })
    },
  })
  expect(seen).toEqual([
    ['interactive', undefined],
    ['mid-session-refresh', 'expired'],
    ['mid-session-refresh', 'refused'],
    ['background', undefined],
  ])
})

test('nothing is due while the laptop sleeps, and what was due comes when it wakes', async () => {
  const events = await play(
    '{document: {inference.sessionLifetimeSec: 3600}, steps: [start, sleep 2h, wait 1m, turn]}',
    {
      credential: await writeShellHelper(),
    },
  )
  expect(brief(events).slice(3)).toEqual([
    '09:00:00 staged the laptop sleeps',
    '11:00:00 staged the laptop wakes up',
    '11:00:00 sign-in-expired',
    '11:01:00 [1] turn-failed sign-in-expired',
    '11:01:00 staged the scenario ends',
  ])
})

test('a banner is shown at its own moment, also where nobody does anything', async () => {
  const events = await play('{document: {inference.sessionLifetimeSec: 3600}, steps: [start, wait 2h]}', {
    credential: await writeShellHelper(),
  })
  expect(brief(events).slice(3)).toEqual([
    '09:55:00 reauthenticate-banner',
    '10:00:00 sign-in-expired',
    '11:00:00 staged the scenario ends',
  ])
})

test('a changed document is read when the old one expires, and asks for consent', async () => {
  const events = await play(
    `
document: {expiresAt: 10m}
steps:
  - start
  - document changes: {inference.credential.ttlSec: 600}
  - person declines
  - wait 20m
`,
    { credential: await writeShellHelper() },
  )
  expect(brief(events).slice(3)).toEqual([
    '09:00:00 staged the document is changed: inference.credential.ttlSec',
    '09:00:00 staged the person declines what is asked',
    '09:10:00 consent-asked inference.credential.ttlSec',
    '09:10:00 consent-answered decline inference.credential.ttlSec',
    '09:20:00 staged the scenario ends',
  ])
})

test('a turn opens its window, and a scheduled task has a window of its own', async () => {
  const events = await play('[window 3 turn, scheduled task]', { credential: await writeShellHelper() })
  expect(brief(events).filter((line) => line.includes('session-started'))).toEqual([
    '09:00:00 [3] session-started interactive',
    '09:00:00 [0] session-started scheduled-task',
  ])
})

test.each<[what: string, stderr: string, verdict: string]>([
  ['is silent', '', 'a success'],
  ['says something', 'hello', 'a warning'],
])('a connection test shows whether the helper %s', async (_, stderr, verdict) => {
  const credential = await writeShellHelper(`printf '%s' '${stderr}' >&2; echo t`)
  expect(brief(await play('[setup test]', { credential }))).toEqual([
    '09:00:00 helper-started setup-test setup-test',
    '09:00:00 helper-succeeded',
    `09:00:00 staged the connection test shows ${verdict}`,
    '09:00:00 staged the scenario ends',
  ])
})
