import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { toBundlePath } from '../../../pkg-scripts/tree.ts'
import { startRecordingServer } from '../../client/recording-server.ts'
import { writeShellHelper } from '../../client/simulation/play.ts'
import { runBundle } from '../../setup/run-bundle.ts'
import { fails, prints } from '../../setup/run-program.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { toStableText, toStableValue } from '../../setup/to-stable-text.ts'
import { documentWith, runGatepass, writeTemporary } from '../run-gatepass.ts'

async function shellDocument(script?: string): Promise<{ path: string; command: string }> {
  const credential = await writeShellHelper(script)
  return { path: await writeTemporary('doc.json', documentWith(credential)), command: credential.command ?? '' }
}

describe('gatepass simulate', () => {
  test('plays a simulated helper where no document is named, and asks nobody', async () => {
    expect(await runGatepass('simulate', '--scenario', 'token-revoked')).toEqual(
      prints(`\
09:00:00  a session starts (interactive)
09:00:00  helper runs (interactive), because a session starts
09:00:00  token printed after 0 ms
09:00:00  6 turns done with the token in memory, until 09:25:00
09:30:00  every token is revoked
09:30:00  gateway answers 401
09:30:00  helper runs (mid-session-refresh), because the gateway refused the token
09:30:00  token printed after 0 ms
09:30:00  turn rescued by the refresh
09:35:00  5 turns done with the token in memory, until 09:55:00
10:00:00  the scenario ends

helper runs:      2
turns:            12
turns waited for: 0
longest wait:     0 ms
prompts shown:    0
turns lost:       0
`),
    )
  })

  test('runs the helper of a document and says so first', async () => {
    const { path, command } = await shellDocument()
    const scenario = await writeTemporary('short.yaml', '[start, turn, wait 61m, turn]')
    const outcome = await runGatepass('simulate', path, '--yes', '--scenario', scenario)
    expect(toStableValue(outcome, { [command]: 'COMMAND' })).toEqual({
      status: 0,
      stdout: `\
09:00:00  a session starts (interactive)
09:00:00  helper runs (interactive), because a session starts
09:00:00  token printed after N ms
09:00:00  1 turn done with the token in memory
10:01:00  helper runs (mid-session-refresh), because the ttl has passed
10:01:00  token printed after N ms
10:01:00  turn done
10:01:00  the scenario ends

helper runs:      2
turns:            2
turns waited for: 1, N ms in all
longest wait:     N ms
prompts shown:    0
turns lost:       0
`,
      stderr: `This runs:      "COMMAND"\nand sends to:   a gateway in this process\n`,
    })
  })

  test('plays a day with the real helper in seconds', async () => {
    const keys =
      '[default]\naws_access_key_id = AKIAIOSFODNN7EXAMPLE\naws_secret_access_key = x\nregion = eu-central-1\n'
    const awsDir = await temporaryDirectory()
    await writeFile(join(awsDir, 'credentials'), keys)
    await writeFile(join(awsDir, 'config'), '[default]\nregion = eu-central-1\n')
    const credential = {
      command: process.execPath,
      args: [toBundlePath('aws-bedrock-token')],
      awsEnv: { profile: 'default', awsDir },
    }
    const path = await writeTemporary('doc.json', documentWith(credential))
    const argv = ['simulate', path, '--yes', '--json']
    const { status, stdout } = await runBundle('gatepass', { argv, env: { HOME: awsDir } })
    const { scenario, summary, events } = JSON.parse(stdout)
    expect({ status, scenario, summary, isTokenShown: stdout.includes('bedrock-api-key') }).toEqual({
      status: 0,
      scenario: 'workday',
      summary: {
        helperRuns: 8,
        failedRuns: 0,
        signIns: 0,
        failedSignIns: 0,
        renewals: 0,
        failedRenewals: 0,
        turns: 96,
        waits: { turns: 7, totalMs: expect.any(Number), longestMs: expect.any(Number) },
        prompts: 0,
        lostTurns: 0,
        lostToSimulation: 0,
      },
      isTokenShown: false,
    })
    expect(events.length).toBe(8 * 2 + 96 * 3 - 7 + 2)
  })

  test('exits with 1 when a turn was lost', async () => {
    const { path } = await shellDocument('echo "sign in first" >&2; exit 4')
    const { status, stdout } = await runGatepass('simulate', path, '--yes', '--scenario', 'relaunches', '--all')
    expect({ status, lost: /turns lost: +(\d+)/.exec(stdout)?.[1] }).toEqual({ status: 1, lost: '7' })
  })

  test('sends turns to somebody’s gateway, with the document’s own headers', async () => {
    const { path, command } = await shellDocument('echo opaque')
    const { url, requests } = await startRecordingServer()
    const scenario = await writeTemporary('one.json', '["turn"]')
    const outcome = await runGatepass('simulate', path, '--yes', '--gateway', url, '--scenario', scenario)
    expect(toStableValue(outcome, { [command]: 'COMMAND' })).toEqual({
      status: 0,
      stdout: `\
09:00:00  a session starts (interactive)
09:00:00  helper runs (interactive), because a session starts
09:00:00  token printed after N ms
09:00:00  1 turn done with the token in memory
09:00:00  the scenario ends

helper runs:      1
turns:            1
turns waited for: 0
longest wait:     N ms
prompts shown:    0
turns lost:       0
`,
      stderr: `\
This runs:      "COMMAND"
and sends to:   http://127.0.0.1:PORT/
`,
    })
    expect(requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer opaque'])
  })

  test('writes a page that holds no secret', async () => {
    const out = join(await temporaryDirectory(), 'day.html')
    const { path, command } = await shellDocument('echo canary-7f3a91c2; echo canary-7f3a91c2 >&2')
    const outcome = await runGatepass('simulate', path, '--yes', '--scenario', 'token-revoked', '--html', out, '--json')
    const page = await readFile(out, 'utf8')
    const shown = [page, outcome.stdout, outcome.stderr].filter((text) => text.includes('canary'))
    expect({ shown, page: page.slice(0, 15), stderr: toStableText(outcome.stderr, { [command]: 'COMMAND' }) }).toEqual({
      shown: [],
      page: '<!doctype html>',
      stderr: `\
This runs:      "COMMAND"
and sends to:   a gateway in this process
The timeline is in TEMPORARY/day.html
`,
    })
  })

  test('lists the scenarios', async () => {
    const { status, stdout } = await runGatepass('simulate', '--list')
    expect({ status, names: stdout.match(/^[\w-]+/gm)?.slice(0, 3) }).toEqual({
      status: 0,
      names: ['workday', 'laptop-sleep', 'token-revoked'],
    })
  })

  test('reports every fault of a scenario', async () => {
    const path = await writeTemporary('bad.yaml', 'steps:\n  - start\n  - trn\n  - wait 5\n')
    expect(toStableValue(await runGatepass('simulate', '--scenario', path))).toEqual({
      status: 2,
      stdout: '',
      stderr: `\
gatepass: TEMPORARY/bad.yaml:3: "trn" is not a step; steps are "start", "turn", "turn every DURATION for DURATION", "scheduled task", "scheduled task every DURATION for DURATION", "wait DURATION", "sleep DURATION", "relaunch", "revoke", "revoke sign-in", "probe", "setup test", "network down DURATION", "provider down DURATION", "bootstrap down DURATION", "bootstrap answers [401|403|503] for DURATION", "gateway answers [401|403|429|500|503|529] for DURATION", "stream silent DURATION for DURATION", "helper takes DURATION for DURATION", "person [agrees|declines|away]"
gatepass: TEMPORARY/bad.yaml:4: "5" is not a duration; write 30s, 5m, 8h, 1h30m or 2d
gatepass: hint: correct the file; docs/simulate.md lists what a scenario may have
`,
    })
  })
})

describe('gatepass simulate refuses', () => {
  const refusal = (message: string, hint: string, before = '') => ({
    status: 2,
    stdout: '',
    stderr: `${before}gatepass: ${message}\ngatepass: hint: ${hint}\n`,
  })

  test('to run anything where nobody can be asked', async () => {
    const { path, command } = await shellDocument('touch "$0.ran"; echo t')
    const told = `This runs:      ${JSON.stringify(command)}\nand sends to:   a gateway in this process\n`
    expect(await runGatepass('simulate', path)).toEqual(
      refusal('standard input is not a terminal', 'read the lines above, then pass --yes', told),
    )
    expect(existsSync(`${command}.ran`)).toBe(false)
  })

  test.each<[what: string, flags: string[], message: string, hint: string]>([
    [
      'a gateway to which the token would travel unencrypted',
      ['--gateway', 'http://gateway.example.com'],
      '--gateway would carry the token unencrypted to gateway.example.com',
      'use https://',
    ],
    [
      'a malformed address',
      ['--gateway', 'gateway'],
      '--gateway is not an http or https URL',
      'write the full URL, beginning with https://',
    ],
    [
      'a password in an address',
      ['--gateway', 'https://u:p@gateway.example.com'],
      '--gateway carries a user name or password',
      'remove everything between // and @',
    ],
    [
      'to inject faults into a real gateway',
      ['--gateway', 'https://gateway.example.com', '--scenario', 'token-revoked'],
      'token-revoked does something to the gateway itself',
      'remove --gateway',
    ],
    [
      'an unknown scenario',
      ['--scenario', 'vacation'],
      'there is no scenario and no file vacation',
      'name a file, or choose from: gatepass simulate --list',
    ],
  ])('%s', async (_, flags, message, hint) => {
    expect(await runGatepass('simulate', ...flags)).toEqual(refusal(message, hint))
  })

  test('a scenario whose document a client would not apply', async () => {
    const path = await writeTemporary('s.yaml', '{document: {inference.credential.ttlSec: -1}, steps: [start]}')
    expect(toStableValue(await runGatepass('simulate', '--scenario', path))).toEqual({
      status: 2,
      stdout: '',
      stderr: `\
gatepass: TEMPORARY/s.yaml: inference.credential.ttlSec: expected a whole number from 1 to 9007199254740991
gatepass: hint: correct the scenario; see: gatepass config fields
`,
    })
  })

  test('to write its page where it cannot', async () => {
    const page = join(await temporaryDirectory(), 'missing', 'day.html')
    expect(toStableValue(await runGatepass('simulate', '--scenario', 'relaunches', '--html', page))).toEqual({
      status: 5,
      stdout: `\
09:00:00  helper runs (setup-test), because the configuration window tests it
09:00:00  token printed after N ms
09:00:00  the connection test shows a success
09:00:00  a session starts (interactive)
09:00:00  helper runs (interactive), because a session starts
09:00:00  token printed after N ms
09:00:00  3 turns done with the token in memory, until 09:20:00
09:30:00  the client restarts
09:30:00  a session starts (interactive)
09:30:00  helper runs (interactive), because a session starts
09:30:00  token printed after N ms
09:30:00  3 turns done with the token in memory, until 09:50:00
10:00:00  helper runs (background), because the client probes it
10:00:00  token printed after N ms
10:00:00  the client restarts
10:00:00  a session starts (interactive)
10:00:00  helper runs (interactive), because a session starts
10:00:00  token printed after N ms
10:00:00  1 turn done with the token in memory
10:00:00  the scenario ends

helper runs:      5
turns:            7
turns waited for: 0
longest wait:     N ms
prompts shown:    0
turns lost:       0
`,
      stderr: `\
gatepass: TEMPORARY/missing/day.html cannot be written (ENOENT)
gatepass: hint: name another file with --html
`,
    })
  })

  test('a document that cannot be read', async () => {
    expect(await runGatepass('simulate', '/nowhere/doc.json')).toEqual(
      fails(
        'gatepass',
        2,
        '/nowhere/doc.json: the file does not exist (file-unreadable)',
        'check the path: /nowhere/doc.json',
      ),
    )
  })
})
