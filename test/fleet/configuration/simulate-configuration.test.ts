import { describe, expect, test } from 'vitest'
import { selectDocument } from '../../../src/bootstrap/select-document.ts'
import type { ConfigurationDay } from '../../../src/fleet/configuration/configuration-day.ts'
import { simulateConfiguration } from '../../../src/fleet/configuration/simulate-configuration.ts'
import { createSimulatedReleases, toMember } from '../../../src/fleet/configuration/simulated-releases.ts'
import { HelperError } from '../../../src/runtime/failure.ts'

const hour = 3600
const release = { type: 'release', gateway: 'right', group: undefined } as const

/** People who are there from about eight to five and never close their laptops. */
const day: ConfigurationDay = {
  desktops: 400,
  seed: 5,
  warmUpDays: 0,
  turnEverySec: 300,
  turnSec: 30,
  waves: [10, 50, 100],
  pilot: 7,
  sites: [
    {
      share: 1,
      beginsAt: 8 * hour,
      beginSpreadSec: 60,
      stays: 9 * hour,
      staySpreadSec: 60,
      machine: 'laptop',
      sleeps: [],
    },
  ],
  groups: [
    { name: 'engineering', share: 0.3 },
    { name: 'eu', share: 0.5 },
  ],
  expiresSec: hour,
  enforcementSec: hour,
  restartSec: 15,
  tryAgainSec: 600,
  outages: [],
  changes: [
    { at: 10 * hour, command: release },
    { at: 12 * hour, command: { type: 'promote', wave: 1 } },
    { at: 14 * hour, command: { type: 'promote', wave: 2 } },
  ],
}

describe('a fleet at its configuration server', () => {
  test('has the release that the server gives each person two hours after each change', () => {
    const { clientsPerMinute } = simulateConfiguration(day)
    const { states } = createSimulatedReleases(day)
    const expected = states.map(({ open }) => {
      const counts = [0, 0]
      for (let person = 0; person < day.desktops; person += 1) {
        const { manifest } = selectDocument(open, toMember(person, [])).release
        counts[manifest.counter - 1]! += 1
      }
      return counts
    })
    const played = [9, 11.9, 13.9, 15.9].map((at) => clientsPerMinute.slice(1).map((clients) => clients[at * 60]))
    expect(played).toEqual(expected)
    expect(expected.slice(0, 2)).toEqual([
      [400, 0],
      [393, 7],
    ])
  })

  test('does not restart a client whose group’s document stays the same, and counts it for the new release', () => {
    const forEu = {
      ...day,
      changes: [
        { at: 10 * hour, command: { ...release, group: 'eu' } },
        { at: 10 * hour, command: { type: 'promote', wave: 3 } },
      ],
    } as const
    const { starts, clientsPerMinute } = simulateConfiguration(forEu)
    expect(starts['own-restart'] + starts['enforced-restart']).toBe(198)
    expect(clientsPerMinute.map((clients) => clients[13 * 60])).toEqual([0, 0, 400])
  })

  test('plays the same day with the same seed alone', () => {
    const played = [day, day, { ...day, seed: 6 }].map((each) => simulateConfiguration(each))
    expect(played[1]).toEqual(played[0])
    expect(played[2]).not.toEqual(played[0])
  })

  test.each([
    [[{ at: 10 * hour, command: { type: 'promote', wave: 1 } }], '10:00 promote: release 1 has reached wave 3 already'],
    [[{ at: 10 * hour, command: { type: 'halt' } }], '10:00 halt: release 1 has reached everybody'],
    [[{ at: 10 * hour, command: { type: 'revert' } }], '10:00 revert: there is no release before release 1'],
    [
      [
        { at: 10 * hour, command: release },
        { at: 11 * hour, command: release },
      ],
      '11:00 release: release 2 has reached wave 0 of 3, and only two releases can be served at once',
    ],
    [
      [
        { at: 10 * hour, command: release },
        { at: 11 * hour, command: { type: 'promote', wave: 4 } },
      ],
      '11:00 promote: release 2 has no wave 4',
    ],
  ] as const)('refuses what the commands refuse: %j', (changes, message) => {
    expect(() => simulateConfiguration({ ...day, changes })).toThrow(
      new HelperError('usage', message, 'correct "changes" in the scenario'),
    )
  })
})
