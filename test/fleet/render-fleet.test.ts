import { describe, expect, test } from 'vitest'
import { renderFleet } from '../../src/fleet/render-fleet.ts'
import { type PlayedFleet, toFleetRecord } from '../../src/fleet/summarize-fleet.ts'
import { madeChoice, makeResult } from './made-result.ts'

const nine = 9 * 3600

const fleet: PlayedFleet = {
  name: 'made-up',
  summary: 'two seconds at nine, and one at noon',
  desktops: 12_000,
  seed: 7,
  played: [
    {
      choice: madeChoice,
      result: makeResult(
        {
          first: { [nine]: 1200, [nine + 1]: 300 },
          renewal: { 43200: 600 },
          refusal: { [nine + 1]: 1 },
          requests: { [nine]: 1250, [nine + 1]: 301, 43200: 600 },
          throttled: { [nine]: 40 },
          unreachable: { [nine]: 8 },
          late: { [nine]: 2 },
          turns: { [nine]: 1500, 43200: 1000 },
          rescued: { 43200: 1 },
          lost: { [nine]: 10 },
        },
        { waits: { 0: 1250, 3: 1240, 13: 10 } },
      ),
    },
    { choice: { ...madeChoice, ttlSec: 900, renewEarly: 25, tokenLifeSec: 90 }, result: makeResult({}) },
  ],
}

describe('the day of a fleet', () => {
  test('is a table of both choices with a drawing of each on one scale', () => {
    expect(renderFleet(fleet, 80, (_, text) => text)).toBe(`\
12,000 desktops, made-up: two seconds at nine, and one at noon

                                                A                B
ttlSec                                       3600              900
timeoutSec                                     60               60
renew-early                             0 % (off)   25 % (default)
life of a token                         1 h 0 min             90 s

mints                                       2,101                0
  no good token                             1,500                0
  renewed in time                             600                0
  after a refusal                               1                0
most mints in a second      1,200 at 09:00:00 UTC                0
requests to the provider                    2,151                0
  answered 429                                 40                0
  that reached nobody                           8                0
  answered too late                             2                0
most requests in a second   1,250 at 09:00:00 UTC                0

turns                                       2,500                0
  rescued after a 401                           1                0
  lost                                         10                0
  waited more than 50 ms                    1,250                0
half of the turns at most                   50 ms                -
95 of 100 at most                          500 ms                -
99 of 100 at most                          500 ms                -
all of them at most                  beyond 5 min                -

mints a second, A (UTC)
1,200 │                           █
      │                           █
      │                           █
      │                           █        █
      │                           █        █
      │                           █        █
       00:00    03:00    06:00    09:00    12:00    15:00    18:00    21:00

mints a second, B (UTC)
1,200 │
      │
      │
      │
      │
      │
       00:00    03:00    06:00    09:00    12:00    15:00    18:00    21:00
`)
  })

  test('says of tokens that last longer than a day when they were minted', () => {
    const [first] = fleet.played
    const note = /\nThis is the second day: .*\n/
    const render = (tokenLifeSec: number) =>
      renderFleet({ ...fleet, played: [{ ...first!, choice: { ...madeChoice, tokenLifeSec } }] }, 80, (_, text) => text)
    expect([86_400, 86_401].map((life) => note.test(render(life)))).toEqual([false, true])
  })

  test('has one line for its title, whatever its file says', () => {
    const named = { ...fleet, name: 'a\nb', summary: 'two\nlines\n' }
    expect(renderFleet(named, 80, (_, text) => text).split('\n')[0]).toBe('12,000 desktops, a b: two lines')
  })

  test('is one record with a number for each minute for programs', () => {
    const { choices, ...record } = toFleetRecord(fleet)
    const [first] = choices
    const { name, perMinute, ...rest } = first!
    expect({ ...record, name, ...rest, perMinute: Object.keys(perMinute) }).toEqual({
      scenario: 'made-up',
      desktops: 12_000,
      seed: 7,
      name: 'A',
      choice: madeChoice,
      mints: { all: 2101, first: 1500, renewal: 600, refusal: 1 },
      mintPeak: { perSec: 1200, at: '09:00:00' },
      requests: { all: 2151, throttled: 40, unreachable: 8, late: 2 },
      requestPeak: { perSec: 1250, at: '09:00:00' },
      turns: { all: 2500, rescued: 1, lost: 10 },
      waits: { waited: 1250, p50Ms: 50, p95Ms: 500, p99Ms: 500 },
      perMinute: [
        'mints',
        'mostMintsPerSec',
        'requests',
        'throttled',
        'unreachable',
        'late',
        'turns',
        'rescued',
        'lost',
      ],
    })
    const { mints, mostMintsPerSec, late, rescued } = perMinute
    expect({
      minutes: mints.length,
      nine: { mints: mints[540], mostMintsPerSec: mostMintsPerSec[540], late: late[540] },
      noon: { mints: mints[720], rescued: rescued[720] },
    }).toEqual({
      minutes: 1440,
      nine: { mints: 1501, mostMintsPerSec: 1200, late: 2 },
      noon: { mints: 600, rescued: 1 },
    })
  })
})
