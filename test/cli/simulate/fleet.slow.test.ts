import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { prints } from '../../setup/run-program.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { documentWith, runGatepass, writeTemporary } from '../run-gatepass.ts'

const simulate = (...argv: string[]) => runGatepass('simulate', '--fleet', '200', ...argv)

async function chosen(...argv: string[]) {
  const { stdout } = await simulate('--json', ...argv)
  return JSON.parse(stdout).choices.map(({ choice }: { choice: object }) => choice)
}

const defaults = { ttlSec: 3600, timeoutSec: 60, renewEarly: 25, tokenLifeSec: 3600 }

describe('gatepass simulate --fleet', () => {
  test('plays the same day with the same seed alone', async () => {
    const [first, again, other] = [await simulate(), await simulate(), await simulate('--seed', '2')]
    const [heading] = first.stdout.split('\n')
    expect({ ...first, stdout: heading }).toEqual(
      prints('200 desktops, office-day: one office from nine to half past five; ttlSec 3600 against ttlSec 900'),
    )
    expect(again).toEqual(first)
    expect(other.stdout).not.toBe(first.stdout)
  })

  test('compares early renewal by default with none, all else equal', async () => {
    const scenario = await writeTemporary('plain.yaml', 'sites: [{ hours: 09:00-10:00 }]')
    const off = { ...defaults, renewEarly: 0 }
    // The second choice of office-day has that ttl too.
    expect({
      default: await chosen('--scenario', scenario),
      'renewed at 30': await chosen('--scenario', scenario, '--renew-early', '30'),
      'not renewed': await chosen('--scenario', scenario, '--renew-early', '0'),
      'with a ttl': await chosen('--scenario', 'office-day', '--ttl', '900'),
    }).toEqual({
      default: [defaults, off],
      'renewed at 30': [{ ...defaults, renewEarly: 30 }, off],
      'not renewed': [off, defaults],
      'with a ttl': [
        { ...defaults, ttlSec: 900 },
        { ...off, ttlSec: 900 },
      ],
    })
  })

  test('takes the first choice from flags, then the document, then the scenario, and the second from --against', async () => {
    const document = await writeTemporary('document.json', documentWith({ ttlSec: 1200, timeoutSec: 90 }))
    const scenario = await writeTemporary(
      'chosen.yaml',
      'sites: [{ hours: 09:00-10:00 }]\nchoices: [{ ttlSec: 60, renewEarly: 10 }, { timeoutSec: 20 }]',
    )
    const first = { ttlSec: 1200, timeoutSec: 90, renewEarly: 10, tokenLifeSec: 7200 }
    expect(await chosen(document, '--scenario', scenario, '--token-life', '2h', '--against', 'ttlSec=900')).toEqual([
      first,
      { ...first, ttlSec: 900, timeoutSec: 20 },
    ])
    expect((await chosen(document, '--scenario', scenario, '--ttl', '5m'))[0]).toEqual({
      ttlSec: 300,
      timeoutSec: 90,
      renewEarly: 10,
      tokenLifeSec: 3600,
    })
  })

  test('shows a peak that falls at least fivefold with early renewal by default', async () => {
    const { stdout } = await runGatepass('simulate', '--fleet', '10000', '--scenario', 'always-on', '--json')
    const { choices } = JSON.parse(stdout)
    const [early, late] = choices.map(({ mintPeak }: { mintPeak: { perSec: number } }) => mintPeak.perSec)
    expect(choices[0].choice.renewEarly).toBe(25)
    expect(choices[1].choice).toEqual({ ...choices[0].choice, renewEarly: 0 })
    expect(late / early).toBeGreaterThan(5)
  })

  test('ends with 1 when a turn was lost under the first choice', async () => {
    const outage = ['--scenario', 'outage-at-ten', '--json'] as const
    const lost = ({ stdout, status }: { stdout: string; status: unknown }) => ({
      status,
      lost: JSON.parse(stdout).choices.map(({ turns }: { turns: { lost: number } }) => turns.lost > 0),
    })
    expect(lost(await simulate(...outage))).toEqual({ status: 1, lost: [true, false] })
    const turned = await simulate(
      ...outage,
      '--ttl',
      '14400',
      '--token-life',
      '28800',
      '--against',
      'ttlSec=3600 tokenLife=1h',
    )
    expect(lost(turned)).toEqual({ status: 0, lost: [false, true] })
  })

  test('has help that names the defaults', async () => {
    const { stdout } = await runGatepass('simulate', '--help')
    const parts = stdout.replaceAll(/\n {20,}/g, ' ').split('\n\n')
    expect(parts.find((part) => part.startsWith('The day of a fleet:'))).toBe(`\
The day of a fleet:
  --fleet <desktops>            play so many desktops and their identity provider, under two choices
  --ttl <seconds>               the ttlSec of the first choice (default: the document’s, else the scenario’s, else 3600)
  --renew-early <percent>       the renew-early of the first choice (default: the scenario’s, else 25, as of a helper)
  --against <choice>            the second choice, where it differs from the first: ttlSec, timeoutSec, renewEarly, tokenLife, such as "ttlSec=900 tokenLife=8h"
  --seed <number>               another number plays another day (default: 1)
  --export <format>             print its turns as a scenario for a load engine instead (choices: "k6", "locust")`)
  })

  test('reports every fault of a scenario', async () => {
    const path = await writeTemporary('bad fleet.yaml', 'sites:\n  - hours: 9 to 5\nturn: every 5m\n')
    expect(await simulate('--scenario', path)).toEqual({
      status: 2,
      stdout: '',
      stderr: `\
gatepass: ${path}:2: hours: "9 to 5" is not a span of hours; write 09:00-17:30 Europe/Berlin
gatepass: ${path}:3: "turn" is not known; did you mean turns?
gatepass: hint: correct the file; docs/fleet-simulation.md lists what a scenario may have
`,
    })
  })

  test('writes a page, and says where it is', async () => {
    const out = join(await temporaryDirectory(), 'a day.html')
    const { stdout } = await simulate()
    const outcome = await simulate('--html', out)
    expect({ ...outcome, page: (await readFile(out, 'utf8')).slice(0, 15) }).toEqual({
      status: 0,
      stdout,
      stderr: `The day is in ${out}\n`,
      page: '<!doctype html>',
    })
  })

  test('prints its result where the page cannot be written', async () => {
    const { stdout } = await simulate()
    expect(await simulate('--html', '/dev/full')).toEqual({
      status: 5,
      stdout,
      stderr: 'gatepass: /dev/full cannot be written (ENOSPC)\ngatepass: hint: name another file with --html\n',
    })
  })

  test('refuses a document whose clients would ask people in place of their helper', async () => {
    const document = await writeTemporary('document.json', documentWith({ silentRefreshEnabled: false }))
    expect(await simulate(document)).toEqual({
      status: 2,
      stdout: '',
      stderr: `\
gatepass: the document turns off silent refresh, without which no fleet is simulated
gatepass: hint: remove --fleet to see what it costs one desktop
`,
    })
  })

  test.each([
    [
      ['--fleet', '0'],
      "option '--fleet <desktops>' argument '0' is invalid. expected a whole number from 1 to 2000000.",
    ],
    [
      ['--fleet', '10', '--renew-early', '91'],
      `option '--renew-early <percent>' argument '91' is invalid. "91" is not a whole number from 0 to 90.`,
    ],
    [
      ['--fleet', '10', '--ttl', '0'],
      `option '--ttl <seconds>' argument '0' is invalid. "0" is not a time of 1 s to 100 d; write 900, 90s, 15m, 8h or 2d.`,
    ],
    [['--fleet', '10', '--client', 'codex'], '--client is for one client, not for a fleet'],
    [['--fleet', '10', '--gateway', 'https://gateway.example.com'], '--gateway is for one client, not for a fleet'],
    [['--fleet', '10', '--scenario', 'workday'], 'workday is the day of one client'],
    [['--scenario', 'office-day'], 'office-day is the day of a fleet'],
    [['--ttl', '60'], '--ttl is for a fleet'],
    [['--seed', '0'], '--seed is for a fleet'],
    [
      ['--fleet', '10', '--against', 'ttl=60'],
      `option '--against <choice>' argument 'ttl=60' is invalid. "ttl=60" is not one of ttlSec, timeoutSec, renewEarly, tokenLife, with a value as in ttlSec=900.`,
    ],
    [['--fleet', '10', '--export', 'k6', '--json'], '--export prints a load scenario and nothing else'],
  ])('%j is refused', async (argv, message) => {
    const { status, stdout, stderr } = await runGatepass('simulate', ...argv)
    expect({ status, stdout, first: stderr.split('\n')[0] }).toEqual({
      status: 2,
      stdout: '',
      first: `gatepass: ${message}`,
    })
  })
})
