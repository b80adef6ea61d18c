import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { toBundlePath } from '../../../pkg-scripts/tree.ts'
import { documentWith } from '../../cli/run-gatepass.ts'
import { runBundle } from '../../setup/run-bundle.ts'
import { prints } from '../../setup/run-program.ts'
import { failure } from './desk.ts'
import { opens, type PersonDesk, startPersonDesk } from './person-desk.ts'

/** Checks the helper as `node FILE`, and leaves out findings that only come from that: the command is a runtime, which needs arguments. */
async function check({ home }: PersonDesk, argv: readonly string[]) {
  const env = { HOME: home, PATH: '/usr/bin:/bin', BROWSER: join(home, 'browser') }
  const words = ['check-helper', '--json', process.execPath, toBundlePath('oidc-token'), ...argv]
  const { stdout } = await runBundle('gatepass', { argv: words, env })
  const verdicts: readonly { rule: string; verdict: string; seen: string }[] = JSON.parse(stdout).verdicts
  return {
    faults: verdicts.filter(({ rule, verdict }) => /warn|fail/.test(verdict) && rule !== 'without-arguments'),
    fresh: verdicts.find(({ rule }) => rule === 'refresh-fresh')?.seen,
  }
}

test('a check of a sign-in that nothing renews plays the passed ttl before a refusal', async () => {
  const desk = await startPersonDesk()
  await desk.run()
  const checked = await check(desk, desk.site)
  const silent = await desk.runInWords({ context: 'background' })
  expect({ checked, silent, asked: await desk.runInWords(), tabs: (await desk.readTabs()).length }).toEqual({
    checked: { faults: [], fresh: 'the same token after the ttl, and none after a refusal' },
    silent: failure(
      4,
      'the gateway refused the token of the sign-in to HOST at DATE, N s after a client had got it',
      'start a new session, which lets a person sign in, or run: oidc-token sign-in SITE',
    ),
    asked: prints('{"token":"JWT"}\n', opens),
    tabs: 2,
  })
}, 240_000)

test('a check leaves the person signed in where a refresh token is kept', async () => {
  const desk = await startPersonDesk()
  const argv = [...desk.site, '--refresh-token-store', 'file']
  await desk.run({ argv })
  const checked = await check(desk, argv)
  const silent = await desk.runInWords({ argv, context: 'background' })
  expect({ checked, silent, tabs: (await desk.readTabs()).length }).toEqual({
    checked: { faults: [], fresh: 'another token than in the runs before' },
    silent: prints('{"token":"JWT"}\n'),
    tabs: 1,
  })
}, 240_000)

test('a simulation plays a ttl that has passed and a refusal by the gateway', async () => {
  const desk = await startPersonDesk()
  const args = [toBundlePath('oidc-token'), ...desk.site]
  const path = join(desk.home, 'document.json')
  const scenario = join(desk.home, 'scenario.yaml')
  await writeFile(path, documentWith({ kind: 'helper-script', command: process.execPath, args }))
  await writeFile(scenario, '[start, turn, wait 61m, turn, wait 5m, revoke, turn, start, turn]')
  const env = { HOME: desk.home, PATH: '/usr/bin:/bin', BROWSER: join(desk.home, 'browser') }
  const { stdout } = await runBundle('gatepass', { argv: ['simulate', path, '--yes', '--scenario', scenario], env })
  const told = stdout
    .split('\n')
    .filter((line) => /^\d\d:.*(turn|token|helper runs)/.test(line) && !/every token/.test(line))
  expect(told.map((line) => line.replace(/[\d.]+ m?s/, 'N s'))).toEqual([
    '09:00:00  helper runs (interactive), because a session starts',
    '09:00:00  token printed after N s',
    '09:00:00  1 turn done with the token in memory',
    '10:01:00  helper runs (mid-session-refresh), because the ttl has passed',
    '10:01:00  token printed after N s',
    '10:01:00  turn done',
    '10:06:00  helper runs (mid-session-refresh), because the gateway refused the token',
    '10:06:00  no token (exit-status): the helper failed with exit status 4, after N s',
    '10:06:00  turn lost (unauthorized): the gateway answered with HTTP 401',
    '10:06:00  helper runs (interactive), because a session starts',
    '10:06:00  token printed after N s',
    '10:06:00  1 turn done with the token in memory',
  ])
  expect(await desk.readTabs()).toHaveLength(2)
}, 240_000)
