import { describe, expect, test } from 'vitest'
import { computeExpiry } from '../../../src/bootstrap/serve/answer-identity.ts'
import type { ConfigurationDay } from '../../../src/fleet/configuration/configuration-day.ts'
import { DayCounts } from '../../../src/fleet/configuration/day-counts.ts'
import { SimulatedClient } from '../../../src/fleet/configuration/simulated-client.ts'
import { SimulatedEndpoint } from '../../../src/fleet/configuration/simulated-endpoint.ts'
import { createSimulatedReleases, toMember } from '../../../src/fleet/configuration/simulated-releases.ts'

const minute = 60
const hour = 60 * minute

/** A day on which a turn takes 30 s and a restart 15 s; the answer expires when nobody is there any more. */
const quiet: ConfigurationDay = {
  desktops: 1,
  seed: 1,
  warmUpDays: 0,
  sites: [],
  turnEverySec: 300,
  turnSec: 30,
  waves: [100],
  pilot: 0,
  groups: [],
  expiresSec: 3 * 86_400,
  enforcementSec: hour,
  restartSec: 15,
  tryAgainSec: 10 * minute,
  changes: [],
  outages: [],
}

const release = { type: 'release', gateway: 'right', group: undefined } as const
const toAll = { type: 'promote', wave: 1 } as const

type Step = readonly ['open' | 'use' | 'wake' | 'close', at: number]

/** Plays one client through steps in seconds of the day; what was counted, with times in seconds. */
function play(steps: readonly Step[], day: Partial<ConfigurationDay> = {}) {
  const whole = { ...quiet, ...day }
  const releases = createSimulatedReleases(whole)
  const endpoint = new SimulatedEndpoint(whole, releases, 0)
  const counts = new DayCounts(releases.count)
  const client = new SimulatedClient(whole, { endpoint, counts, offsetMs: 0 })
  endpoint.serve(toMember(0, []))
  for (const [step, at] of steps) client[step](at * 1000)
  counts.endPerson()
  const listSeconds = (series: Uint32Array) =>
    [...series.entries()].flatMap(([second, count]) => (count ? [second] : []))
  const { document, unchanged, unreachable } = endpoint.requests
  return {
    asked: [document, unchanged, unreachable].map(listSeconds),
    starts: Object.values(counts.starts),
    turns: [counts.turns, counts.lostTurns],
    blockedSec: Object.fromEntries(
      Object.entries(counts.sortBlocked()).flatMap(([cause, [ms]]) => (ms === undefined ? [] : [[cause, ms / 1000]])),
    ),
    releaseAt: (at: number) => counts.countClientsPerMinute().findIndex((clients) => clients[at / minute] === 1),
  }
}

const published: Partial<ConfigurationDay> = {
  changes: [
    { at: 40 * minute, command: release },
    { at: 40 * minute, command: toAll },
  ],
}

describe('a client of a configuration server', () => {
  test('asks when it is opened, then every half an hour, and is answered 304', () => {
    const { releaseAt, ...counted } = play([
      ['open', 0],
      ['close', 2 * hour - 1],
    ])
    expect(counted).toEqual({
      asked: [[0], [30 * minute, 60 * minute, 90 * minute], []],
      starts: [1, 0, 0, 0],
      turns: [0, 0],
      blockedSec: {},
    })
  })

  test('asks when its answer expires too, at a moment of the person’s own', () => {
    const { asked } = play(
      [
        ['open', 0],
        ['close', 30 * minute - 1],
      ],
      { expiresSec: 600 },
    )
    expect(asked).toEqual([[0], [computeExpiry('person-0', { expiresSec: 600, now: 0 })], []])
  })

  test('learns of a changed document at its next check, and restarts by itself after two idle minutes', () => {
    const { releaseAt, ...counted } = play(
      [
        ['open', 0],
        ['use', 59 * minute],
        ['close', 70 * minute],
      ],
      published,
    )
    // The turn ends 30 s after 59 min, so that the client is idle for two minutes at 61 min 30 s.
    expect(counted).toEqual({
      asked: [[0, hour, 61 * minute + 30], [30 * minute], []],
      starts: [1, 1, 0, 0],
      turns: [1, 0],
      blockedSec: {},
    })
    expect([releaseAt(61 * minute), releaseAt(62 * minute)]).toEqual([1, 2])
  })

  test('makes a person wait whose turn comes while it restarts by itself', () => {
    const steps: Step[] = [
      ['open', 0],
      ['use', hour + 5],
      ['use', hour + 10],
      ['close', 70 * minute],
    ]
    const { starts, turns, blockedSec } = play(steps, published)
    expect({ starts, turns, blockedSec }).toEqual({
      starts: [1, 1, 0, 0],
      turns: [2, 0],
      blockedSec: { 'own-restart': 10 },
    })
  })

  test('blocks a person who never lets it be idle, after an hour, until it has restarted', () => {
    const turns = Array.from({ length: 90 }, (_, index): Step => ['use', 45 * minute + index * minute])
    const { releaseAt, ...counted } = play([['open', 0], ...turns, ['close', 136 * minute]], published)
    expect(counted).toEqual({
      asked: [
        [0, hour, 2 * hour],
        // At two hours it asks once more and is restarted in the same second.
        [30 * minute, 90 * minute, 2 * hour],
        [],
      ],
      starts: [1, 0, 1, 0],
      turns: [90, 0],
      blockedSec: { 'enforced-restart': 15 },
    })
    expect([releaseAt(119 * minute), releaseAt(121 * minute)]).toEqual([1, 2])
  })

  test('blocks at once with an enforcement of no hours', () => {
    const steps: Step[] = [
      ['open', 0],
      ['use', 60 * minute - 10],
      ['close', 70 * minute],
    ]
    expect(play(steps, { ...published, enforcementSec: 0 }).blockedSec).toEqual({ 'enforced-restart': 15 })
  })

  test('asks and restarts at once when its laptop wakes up after the time is over', () => {
    const steps: Step[] = [
      ['open', 0],
      ['use', 60 * minute - 1],
      ['close', 60 * minute + 30],
      ['wake', 200 * minute],
      ['close', 210 * minute],
    ]
    const { asked, starts, blockedSec } = play(steps, published)
    expect({ asked, starts, blockedSec }).toEqual({
      asked: [[0, 60 * minute, 200 * minute], [30 * minute], []],
      starts: [1, 0, 1, 0],
      blockedSec: { 'enforced-restart': 15 },
    })
  })

  test('has no document when it starts while the server is down, and is started again by its person', () => {
    const steps: Step[] = [
      ['open', 0],
      ['use', 5 * minute],
      ['use', 20 * minute],
      ['use', 30 * minute],
      ['close', hour],
    ]
    const { releaseAt, ...counted } = play(steps, { outages: [{ at: 0, forSec: 12 * minute }] })
    // Started again at 5 min in vain, and at 15 min with success, 15 s later.
    expect(counted).toEqual({
      asked: [[15 * minute], [45 * minute], [0, 5 * minute]],
      starts: [1, 0, 0, 2],
      turns: [3, 1],
      blockedSec: { 'no-document': 10 * minute + 15 },
    })
    expect([releaseAt(10 * minute), releaseAt(16 * minute)]).toEqual([0, 1])
  })

  test('keeps its document while the server is down in the background', () => {
    const { starts, asked } = play(
      [
        ['open', 0],
        ['use', 45 * minute],
        ['close', hour + 1],
      ],
      { outages: [{ at: 20 * minute, forSec: 20 * minute }] },
    )
    expect({ starts, asked }).toEqual({ starts: [1, 0, 0, 0], asked: [[0], [hour], [30 * minute]] })
  })

  test('loses turns by a document that names a wrong gateway until it is taken back, although it is halted', () => {
    const bad = (after: ConfigurationDay['changes'][number][]): Partial<ConfigurationDay> => ({
      waves: [99.999, 100],
      changes: [{ at: 10, command: { ...release, gateway: 'wrong' } }, { at: 20, command: toAll }, ...after],
    })
    const steps: Step[] = [
      ['open', 30],
      ['use', 5 * minute],
      ['use', 70 * minute],
      ['close', 80 * minute],
    ]
    const halted = play(steps, bad([{ at: 10 * minute, command: { type: 'halt' } }]))
    expect({ turns: halted.turns, blockedSec: halted.blockedSec }).toEqual({
      turns: [2, 2],
      blockedSec: { 'wrong-document': 75 * minute },
    })
    const taken = play(steps, bad([{ at: 10 * minute, command: { type: 'revert' } }]))
    expect({ turns: taken.turns, blockedSec: taken.blockedSec, at: taken.releaseAt(20 * minute) }).toEqual({
      turns: [2, 1],
      blockedSec: { 'wrong-document': 10 * minute + 15 },
      at: 1,
    })
  })

  test('keeps its document when a release that has reached it is halted before it has asked', () => {
    const { starts, asked } = play(
      [
        ['open', 0],
        ['close', 70 * minute],
      ],
      {
        waves: [99.999, 100],
        changes: [...published.changes!, { at: 50 * minute, command: { type: 'halt' } }],
      },
    )
    expect({ starts, asked }).toEqual({ starts: [1, 0, 0, 0], asked: [[0], [30 * minute, hour], []] })
  })

  test('does not restart for a release that is taken back before it has', () => {
    const { starts, asked } = play(
      [
        ['open', 0],
        ...Array.from({ length: 60 }, (_, index): Step => ['use', 59 * minute + index * minute]),
        ['close', 121 * minute],
      ],
      {
        changes: [...published.changes!, { at: 70 * minute, command: { type: 'revert' } }],
      },
    )
    expect({ starts, asked }).toEqual({
      starts: [1, 0, 0, 0],
      asked: [[0, hour, 90 * minute], [30 * minute, 2 * hour], []],
    })
  })
})
