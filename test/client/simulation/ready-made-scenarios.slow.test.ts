import { describe, expect, test } from 'vitest'
import { readyMadeScenarios } from '../../../src/client/simulation/ready-made-scenarios.ts'
import { summarize } from '../../../src/client/simulation/summarize-simulation.ts'
import { createMadeUpProvider } from '../credentials/made-up-sign-in.ts'
import { brief, play, writeShellHelper } from './play.ts'

/** The counts of each scenario: helper runs and how many failed, turns, turns waited for, prompts, turns lost. */
const counts: Readonly<Record<string, readonly [number, number, number, number, number, number]>> = {
  workday: [8, 0, 96, 7, 0, 0],
  'laptop-sleep': [8, 0, 48, 7, 0, 0],
  'token-revoked': [2, 0, 12, 1, 0, 0],
  'slow-helper': [7, 4, 24, 6, 0, 4],
  'ttl-120': [3, 0, 18, 2, 0, 0],
  'silent-refresh-off': [2, 0, 13, 0, 1, 1],
  'helper-missing': [2, 2, 2, 0, 0, 2],
  'document-expires': [2, 0, 9, 1, 1, 0],
  'many-windows': [24, 0, 96, 18, 0, 0],
  'scheduled-night': [9, 0, 9, 0, 0, 0],
  'network-flaps': [4, 0, 35, 2, 0, 6],
  'two-refusals': [3, 0, 6, 2, 0, 4],
  'sign-in-ends': [3, 0, 13, 1, 1, 1],
  'silent-stream': [1, 0, 3, 2, 0, 1],
  relaunches: [5, 0, 7, 0, 0, 0],
}

/** The counts of scenarios in which a person signs in: sign-ins and how many failed, renewals and how many failed, turns, prompts, turns lost. */
const signInCounts: Readonly<Record<string, readonly [number, number, number, number, number, number, number]>> = {
  'person-signs-in': [1, 0, 4, 0, 28, 0, 0],
  'sign-in-revoked': [2, 0, 1, 1, 18, 3, 3],
  'person-away': [3, 2, 3, 0, 7, 2, 3],
  'provider-down': [1, 0, 3, 2, 9, 0, 2],
}

/** The counts of scenarios with a configuration server: requests and how many failed, restarts, turns, turns lost. */
const servedCounts: Readonly<Record<string, readonly [number, number, number, number, number]>> = {
  'served-change': [5, 0, 1, 82, 1],
  'served-outage': [9, 5, 2, 12, 1],
}

test('every ready-made scenario has its counts here', () => {
  const counted = [counts, signInCounts, servedCounts].flatMap((each) => Object.keys(each))
  expect(Object.keys(readyMadeScenarios).sort()).toEqual(counted.sort())
})

describe.each(Object.keys(counts).map((name) => [name, readyMadeScenarios[name] ?? '']))('%s', (name, text) => {
  test('plays a day with real processes in seconds', async () => {
    const summary = summarize(await play(text, { credential: await writeShellHelper() }))
    const { helperRuns, failedRuns, turns, waits, prompts, lostTurns } = summary
    expect([helperRuns, failedRuns, turns, waits.turns, prompts, lostTurns]).toEqual(counts[name])
  })
})

describe.each(Object.keys(signInCounts).map((name) => [name, readyMadeScenarios[name] ?? '']))('%s', (name, text) => {
  test('plays a day with a made-up provider', async () => {
    const { openSignIn } = createMadeUpProvider()
    const credential = { kind: 'external-idp', oidc: { clientId: 'x', issuer: 'https://login.example.com' } } as const
    const summary = summarize(await play(text, { document: { credential }, openSignIn }))
    const { signIns, failedSignIns, renewals, failedRenewals, turns, prompts, lostTurns } = summary
    const counted = [signIns, failedSignIns, renewals, failedRenewals, turns, prompts, lostTurns]
    expect(counted).toEqual(signInCounts[name])
  })
})

describe.each(Object.keys(servedCounts).map((name) => [name, readyMadeScenarios[name] ?? '']))('%s', (name, text) => {
  test('plays a day with a configuration server in this process', async () => {
    const summary = summarize(await play(text, { credential: await writeShellHelper() }))
    const { served, turns, lostTurns } = summary
    expect([served?.requests, served?.failed, served?.restarts, turns, lostTurns]).toEqual(servedCounts[name])
  })
})

test('a slow helper keeps its person waiting in simulated time, at most 20 seconds in the middle of a session', async () => {
  const events = await play(readyMadeScenarios['slow-helper'] ?? '', { credential: await writeShellHelper() })
  const { waits } = summarize(events)
  expect(Math.round(waits.longestMs / 1000)).toBe(20)
  expect(brief(events).filter((line) => /^(10:10|11:20)/.test(line))).toEqual([
    '10:10:00 [1] helper-started mid-session-refresh ttl-passed',
    '10:10:15 [1] helper-succeeded',
    '10:10:15 [1] request-answered 200',
    '10:10:15 [1] turn-succeeded',
    '11:20:00 [1] helper-started mid-session-refresh ttl-passed',
    '11:20:20 [1] helper-failed timeout',
    '11:20:20 [1] turn-failed no-credential',
  ])
})

test('an answer that is silent for less than the client waits comes through', async () => {
  const events = await play(readyMadeScenarios['silent-stream'] ?? '', { credential: await writeShellHelper() })
  expect(brief(events).filter((line) => line.includes('turn-'))).toEqual([
    '09:04:00 [1] turn-succeeded',
    '09:15:00 [1] turn-failed stream-idle',
    '09:40:00 [1] turn-succeeded',
  ])
})

test('a longer streamIdleTimeoutSec waits longer', async () => {
  const events = await play('[start, stream silent 20m for 1h, turn]', {
    credential: await writeShellHelper(),
    document: { streamIdleTimeoutSec: 900 },
  })
  expect(brief(events).at(-2)).toBe('09:15:00 [1] turn-failed stream-idle')
})
