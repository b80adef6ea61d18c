import { describe, expect, test } from 'vitest'
import { parseChoice } from '../../../src/fleet/scenario/choice-keys.ts'
import { parseFleetScenario } from '../../../src/fleet/scenario/parse-fleet-scenario.ts'

const hour = 3600

describe('the scenario of a fleet', () => {
  test('is a day in UTC, whatever zones it is written in', () => {
    const parsed = parseFleetScenario(`
summary: two cities and their machines
date: 2026-07-14
sites:
  - { share: 3, hours: 09:00-17:30 Europe/Berlin, spread: 10m, sleeps: [12:30 for 45m spread 15m, 15:00 UTC for 10m] }
  - { share: 1, hours: 22:00-06:00 +05:30, sleeps: [01:00 for 1h] }
  - { share: 1, machine: always-on }
turns: every 4m
tasks: every 1h spread 5m
tokenLife: 8h
provider: { quota: 500, retryAfter: 30s, latency: { 500: 1.5s, 0: 200ms } }
outages: [10:00 America/New_York for 10m]
revocations: [14:00, 23:30 -02:00]
refusedPerThousand: 0.5
choices: [{ ttlSec: 3600 }, { ttlSec: 900, timeoutSec: 30, renewEarly: 50, tokenLife: 1h }]
`)
    expect(parsed).toEqual({
      ok: true,
      scenario: {
        summary: 'two cities and their machines',
        choices: [{ ttlSec: 3600 }, { ttlSec: 900, timeoutSec: 30, renewEarly: 50, tokenLifeSec: 3600 }],
        day: {
          warmUpDays: 1,
          sites: [
            {
              share: 0.6,
              machine: 'laptop',
              beginsAt: 7 * hour,
              beginSpreadSec: 600,
              stays: 8.5 * hour,
              staySpreadSec: 600,
              sleeps: [
                { at: 10.5 * hour, forSec: 2700, spreadSec: 900 },
                { at: 15 * hour, forSec: 600, spreadSec: 0 },
              ],
            },
            {
              share: 0.2,
              machine: 'laptop',
              beginsAt: 16.5 * hour,
              beginSpreadSec: 1200,
              stays: 8 * hour,
              staySpreadSec: 1200,
              sleeps: [{ at: 19.5 * hour, forSec: hour, spreadSec: 0 }],
            },
            {
              share: 0.2,
              machine: 'always-on',
              beginsAt: 0,
              beginSpreadSec: 0,
              stays: 0,
              staySpreadSec: 0,
              sleeps: [],
            },
          ],
          turnEverySec: 240,
          taskEverySec: hour,
          taskSpreadSec: 300,
          tokenLifeSec: 8 * hour,
          provider: {
            quotaPerSec: 500,
            retryAfterSec: 30,
            latency: [
              [0, 200],
              [500, 1500],
            ],
          },
          outages: [{ at: 14 * hour, forSec: 600 }],
          revocations: [1.5 * hour, 14 * hour],
          refusedPerThousand: 0.5,
        },
      },
    })
  })

  test('needs nothing but a site', () => {
    const parsed = parseFleetScenario('{"sites": [{"hours": "09:00-17:00"}]}')
    expect(parsed).toEqual({
      ok: true,
      scenario: {
        summary: '',
        choices: [],
        day: {
          sites: [
            {
              share: 1,
              machine: 'laptop',
              beginsAt: 9 * hour,
              stays: 8 * hour,
              beginSpreadSec: 1200,
              sleeps: [],
              staySpreadSec: 1200,
            },
          ],
          turnEverySec: 300,
          taskEverySec: undefined,
          tokenLifeSec: hour,
          outages: [],
          revocations: [],
          provider: { quotaPerSec: undefined, retryAfterSec: undefined, latency: [[0, 300]] },
          warmUpDays: 1,
          taskSpreadSec: 0,
          refusedPerThousand: 0,
        },
      },
    })
  })

  test.each([
    ['Europe/Berlin', '2026-01-14', 8],
    ['Europe/Berlin', '2026-07-14', 7],
    // The clocks were changed at one in the morning UTC.
    ['Europe/Berlin', '2026-03-29', 7],
    ['America/St_Johns', '2026-01-14', 12.5],
    ['Asia/Tokyo', '2026-01-14', 0],
    ['Australia/Sydney', '2026-01-14', 22],
    ['+05:30', '2026-01-14', 3.5],
    ['-02:00', '2026-01-14', 11],
  ])('begins at nine in %s on %s at %d UTC', (zone, date, hours) => {
    const parsed = parseFleetScenario(`{date: ${date}, sites: [{hours: 09:00-17:00 ${zone}}]}`)
    expect(parsed).toEqual({
      ok: true,
      scenario: {
        day: {
          sites: [
            {
              beginsAt: hours * hour,
              share: 1,
              machine: 'laptop',
              beginSpreadSec: 1200,
              stays: 28800,
              staySpreadSec: 1200,
              sleeps: [],
            },
          ],
          warmUpDays: 1,
          turnEverySec: 300,
          taskSpreadSec: 0,
          tokenLifeSec: 3600,
          provider: { latency: [[0, 300]] },
          outages: [],
          revocations: [],
          refusedPerThousand: 0,
        },
        summary: '',
        choices: [],
      },
    })
  })

  test('is refused with all its problems, each with its line', () => {
    const parsed = parseFleetScenario(`
summary: [a, list]
date: 2026-02-30
sites:
  - { hours: nine to five, share: none }
  - share: 2
  - hours: 09:00-17:00 Europe/Berlni
    sleeps: 12:30 for 45m
    machine: phone
    shares: 3
turns: each 5m
tasks: every 5m spread 5m
tokenLife: long
provider:
  retryAfter: 30s
outages: [10:00, 10:00 for 10m spread 5m]
revocations: [25:00]
refusedPerThousand: 1001
choices: [{ ttlSec: 0, renewEarly: 91 }, {}, {}]
colour: red
`)
    const problems = parsed.ok ? [] : parsed.problems.map(({ line, message }) => `${line}: ${message}`)
    expect(problems).toEqual([
      '2: summary: expected a text or a number',
      '3: date: "2026-02-30" is not a date; write 2026-01-14',
      '5: hours: "nine to five" is not a span of hours; write 09:00-17:30 Europe/Berlin',
      '5: share: "none" is not a number from 0.001 to 1000000',
      '6: a site of laptops needs hours; write 09:00-17:30 Europe/Berlin, or machine: always-on',
      '7: hours: "Europe/Berlni" is not a time zone; write UTC, Europe/Berlin or +05:30',
      '8: sleeps: expected a list',
      '9: machine: "phone" is not one of laptop, always-on',
      '10: "shares" is not known; did you mean share?',
      '11: turns: "each 5m" is not known; write every 5m',
      '12: tasks: the spread has to be less than the time between them',
      '13: tokenLife: "long" is not a time of 1 s to 100 d; write 900, 90s, 15m, 8h or 2d',
      '15: provider: retryAfter needs a quota, because only a 429 has it',
      '16: "10:00" has no length; write 12:30 for 45m',
      '16: an outage has no spread; write 10:00 UTC for 10m',
      '17: "25:00" is not a time of day; write 09:00, 09:00 Europe/Berlin or 09:00 +05:30',
      '18: refusedPerThousand: "1001" is not a number from 0 to 1000',
      '19: ttlSec: "0" is not a time of 1 s to 100 d; write 900, 90s, 15m, 8h or 2d',
      '19: renewEarly: "91" is not a whole number from 0 to 90',
      '19: choices: at most two choices are compared',
      '20: "colour" is not one of summary, date, sites, turns, tasks, tokenLife, provider, outages, revocations, refusedPerThousand, choices',
    ])
  })

  test('is refused at the line of a number of requests that has no time to answer', () => {
    expect(parseFleetScenario('sites: [{ machine: always-on }]\nprovider:\n  latency: { 0 }')).toEqual({
      ok: false,
      problems: [{ line: 3, message: 'expected a text or a number' }],
    })
  })

  test.each([
    ['', 'the file is empty'],
    [
      '[start, turn]',
      'expected summary, date, sites, turns, tasks, tokenLife, provider, outages, revocations, refusedPerThousand, choices with their values',
    ],
    ['summary: nobody', '"sites" is missing'],
    ['sites: []', '"sites" is missing'],
    ['sites: [', 'not valid YAML (BAD_INDENT)'],
    ['sites:', 'sites: there is no value'],
    ...['spread: 5m', 'sleeps: [12:30 for 45m]'].map((key): [string, string] => [
      `sites: [{ machine: always-on, ${key} }]`,
      'a site without hours has nobody who comes or closes a laptop; remove spread and sleeps',
    ]),
    // With these, a simulation would never end, or would know no time for an answer.
    ['turns: every 0s', 'turns: "0s" is not a duration; write 30s, 5m, 8h, 1h30m or 2d'],
    ['tasks: every 0m', 'tasks: "0m" is not a duration; write 30s, 5m, 8h, 1h30m or 2d'],
    ['tasks: every 1m spread 1h', 'tasks: the spread has to be less than the time between them'],
    [
      'provider: { latency: {} }',
      'latency: expected a duration such as 300ms, or durations by requests a second: {0: 200ms, 500: 2s}',
    ],
  ])('%j is refused', (text, message) => {
    expect(parseFleetScenario(text)).toEqual({ ok: false, problems: [{ message, line: 1 }] })
  })
})

describe('a choice on the command line', () => {
  const keys = 'ttlSec, timeoutSec, renewEarly, tokenLife, with a value as in ttlSec=900'
  test.each([
    ['ttlSec=900 renewEarly=50', { ttlSec: 900, renewEarly: 50 }],
    ['ttlSec=15m tokenLife=28800', { ttlSec: 900, tokenLifeSec: 28_800 }],
    ['tokenLife=101d', { problem: 'tokenLife: "101d" is not a time of 1 s to 100 d; write 900, 90s, 15m, 8h or 2d' }],
    ['timeoutSec=30,tokenLife=8h', { timeoutSec: 30, tokenLifeSec: 28_800 }],
    ['ttl=900', { problem: `"ttl=900" is not one of ${keys}` }],
    ['ttlSec= 900', { problem: `"ttlSec=" is not one of ${keys}` }],
    ['ttlSec=900 ttlSec=800', { problem: 'ttlSec is there twice' }],
    ['renewEarly=91', { problem: 'renewEarly: "91" is not a whole number from 0 to 90' }],
    ['', { problem: `"" is not one of ${keys}` }],
  ])('is read from %j as %j', (text, expected) => {
    expect(parseChoice(text)).toEqual(expected)
  })
})
