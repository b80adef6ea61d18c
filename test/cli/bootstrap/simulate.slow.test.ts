import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fails } from '../../setup/run-program.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { runGatepass, writeTemporary } from '../run-gatepass.ts'

const simulate = (...argv: string[]) => runGatepass('bootstrap', 'simulate', '--desktops', '40', ...argv)

describe('gatepass bootstrap simulate', () => {
  test('says who has which release and whom the restart blocks, also as a page and a record', async () => {
    const html = join(await temporaryDirectory(), 'a day.html')
    const scenario = await writeTemporary(
      'day.yaml',
      'sites: [{ hours: 09:00-11:00, spread: 1m }]\nwaves: [100]\nchanges: [09:30 release, 09:31 promote 1]\n',
    )
    const text = await simulate('--scenario', scenario, '--html', html)
    expect(text).toEqual({
      status: 0,
      stdout: `\
40 desktops, ${scenario}

The restart that follows a changed document blocked 1 of 40 people: half of them for at most 7 s, nobody for more than 7 s, all together for 7 s.

                                                    the day
requests to the configuration server                    228
  answered with a document                              120
  answered 304                                          108
  that reached nobody                                     0
most requests in a second                 4 at 10:00:59 UTC
starts of clients                                        80
  in the morning                                         40
  by themselves, for a changed document                  40
  because the restart was enforced                        0
  by people for whom it did not work                      0
turns                                                 1,010
  lost                                                    0

blocked                                people   half at most   95 of 100   all at most   together
while the client restarted by itself        1            7 s         7 s           7 s        7 s
by a restart that was enforced              0              -           -             -          -
by a client without a document              0              -           -             -          -
by a document with a wrong gateway          0              -           -             -          -

UTC     release 1   release 2   no document   what is done
09:00          17           0             0
09:30          40           0             0   release 2 to its pilot
09:31          40           0             0   release 2 to wave 1 of 1: 100 %
10:00           9          31             0
11:00           0          19             0
`,
      stderr: `The day is in ${html}\n`,
    })
    const { stdout } = await simulate('--scenario', scenario, '--json')
    const { perMinute, moments, blocked, ...record } = JSON.parse(stdout)
    expect({
      ...record,
      blocked: Object.keys(blocked),
      blockedByDocument: blocked['wrong-document'],
      moment: moments[3],
      minutes: Object.values(perMinute.blocked).map((row) => (row as number[]).length),
      page: (await readFile(html, 'utf8')).slice(0, 15),
    }).toEqual({
      scenario,
      desktops: 40,
      seed: 1,
      changes: [
        { at: '09:30', words: 'release 2 to its pilot' },
        { at: '09:31', words: 'release 2 to wave 1 of 1: 100 %' },
      ],
      requests: { all: 228, document: 120, unchanged: 108, unreachable: 0 },
      requestPeak: { perSec: 4, at: '10:00:59' },
      starts: { morning: 40, 'own-restart': 40, 'enforced-restart': 0, 'not-working': 0 },
      people: 40,
      turns: 1010,
      lostTurns: 0,
      blockedByRestart: blocked['own-restart'],
      blocked: ['own-restart', 'enforced-restart', 'no-document', 'wrong-document'],
      blockedByDocument: { people: 0, halfAtMostMs: 0, p95AtMostMs: 0, longestMs: 0, togetherMs: 0 },
      moment: { at: '10:00', words: '', clients: [0, 9, 31] },
      minutes: [1440, 1440, 1440, 1440],
      page: '<!doctype html>',
    })
  })

  test('reports every fault of a scenario and each command that would be refused', async () => {
    const bad = await writeTemporary('bad.yaml', 'sites: [{ hours: 09:00-17:00 }]\nwave: [100]\nchanges: [9 release]\n')
    expect(await simulate('--scenario', bad)).toEqual({
      status: 2,
      stdout: '',
      stderr: `\
gatepass: ${bad}:2: "wave" is not known; did you mean waves?
gatepass: ${bad}:3: "9" is not a time of day; write 09:00, 09:00 Europe/Berlin or 09:00 +05:30
gatepass: hint: correct the file; docs/release-simulation.md lists what a scenario may have
`,
    })
    const early = await writeTemporary('early.yaml', 'sites: [{ hours: 09:00-17:00 }]\nchanges: [10:00 halt]\n')
    expect(await simulate('--scenario', early)).toEqual(
      fails('gatepass', 2, '10:00 halt: release 1 has reached everybody', 'correct "changes" in the scenario'),
    )
  })

  test('ends with 1 where a turn was lost', async () => {
    const { status, stderr } = await simulate('--scenario', 'server-down-at-nine')
    expect({ status, stderr }).toEqual({ status: 1, stderr: '' })
  })
})
