import { describe, expect, test } from 'vitest'
import { parseConfigurationScenario } from '../../../src/fleet/scenario/parse-configuration-scenario.ts'
import { readyMadeConfigurations } from '../../../src/fleet/scenario/ready-made-fleets.ts'

const hour = 3600

describe('the scenario of a day at a configuration server', () => {
  test('needs only sites', () => {
    expect(parseConfigurationScenario('sites: [{ hours: 09:00-17:30 }]')).toEqual({
      ok: true,
      scenario: {
        summary: '',
        day: {
          sites: [
            {
              share: 1,
              machine: 'laptop',
              sleeps: [],
              beginsAt: 9 * hour,
              beginSpreadSec: 1200,
              stays: 8.5 * hour,
              staySpreadSec: 1200,
            },
          ],
          warmUpDays: 0,
          turnEverySec: 300,
          turnSec: 30,
          waves: [1, 10, 50, 100],
          pilot: 0,
          groups: [],
          expiresSec: hour,
          enforcementSec: hour,
          restartSec: 15,
          tryAgainSec: 600,
          changes: [],
          outages: [],
        },
      },
    })
  })

  test('orders what is published by its time, in any zone', () => {
    const parsed = parseConfigurationScenario(`
sites: [{ hours: 22:00-06:00 }]
groups: { engineering: 30, eu: 12.5 }
pilot: 5
waves: [25, 100]
enforcement: 0
changes: [16:00 revert, 10:00 Europe/Berlin release, 10:30 +01:00 promote 1, 12:00 halt, 13:00 resume 2, 15:00 wrong release for eu]
outages: [09:00 Europe/Berlin for 15m]
`)
    const { changes, groups, enforcementSec, warmUpDays, outages } = parsed.ok ? parsed.scenario.day : ({} as never)
    expect({ changes, groups, enforcementSec, warmUpDays, outages }).toEqual({
      changes: [
        { at: 9 * hour, command: { type: 'release', gateway: 'right', group: undefined } },
        { at: 9.5 * hour, command: { type: 'promote', wave: 1 } },
        { at: 12 * hour, command: { type: 'halt' } },
        { at: 13 * hour, command: { type: 'resume', wave: 2 } },
        { at: 15 * hour, command: { type: 'release', gateway: 'wrong', group: 'eu' } },
        { at: 16 * hour, command: { type: 'revert' } },
      ],
      groups: [
        { name: 'engineering', share: 0.3 },
        { name: 'eu', share: 0.125 },
      ],
      enforcementSec: 0,
      warmUpDays: 1,
      outages: [{ at: 8 * hour, forSec: 900 }],
    })
  })

  test('reports all problems at once, with their lines', () => {
    const text = `sites:
  - hours: 9 to 5
  - machine: always-on
groups: { Engineering: 30, eu: 0 }
enforcement: 337h
changes:
  - 10:00 relase
  - 25:00 release
pilott: 4
`
    const problems = parseConfigurationScenario(text)
    expect(problems).toEqual({
      ok: false,
      problems: [
        { line: 2, message: 'hours: "9 to 5" is not a span of hours; write 09:00-17:30 Europe/Berlin' },
        { line: 3, message: 'an always-on machine has nobody whom a restart could block; remove it' },
        { line: 4, message: '"Engineering" is not a name of a-z, 0-9, dots and dashes' },
        { line: 4, message: '"0" is not a number from 0.001 to 100' },
        { line: 5, message: 'enforcement: it is at most 336 h' },
        {
          line: 7,
          message:
            '"10:00 relase" is not known; write 10:00 release, 10:00 wrong release for engineering, 10:30 promote 1, 10:40 halt, 11:00 resume 2 or 11:00 revert',
        },
        { line: 8, message: '"25:00" is not a time of day; write 09:00, 09:00 Europe/Berlin or 09:00 +05:30' },
        { line: 9, message: '"pilott" is not known; did you mean pilot?' },
      ],
    })
  })

  test.each([
    ['waves: [50, 10, 100]', 'waves: they grow, and the last one is 100; write [1, 10, 50, 100]'],
    ['changes: [10:00 release for eu]', 'changes: there is no group "eu"; add it to groups'],
    ['expires: 30s', 'expires: it is at least 60 s, as for the server'],
  ])('%s is refused', (line, message) => {
    const parsed = parseConfigurationScenario(`sites: [{ hours: 09:00-17:00 }]\n${line}\n`)
    expect(parsed).toEqual({ ok: false, problems: [{ line: 1, message }] })
  })

  test.each(Object.entries(readyMadeConfigurations))('%s can be played', (_, text) => {
    expect(parseConfigurationScenario(text).ok).toBe(true)
  })
})
