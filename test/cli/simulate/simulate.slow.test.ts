import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { bundlePath } from '../../../pkg-scripts/tree.ts'
import { startRecordingServer } from '../../client/recording-server.ts'
import { writeShellHelper } from '../../client/simulation/play.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { documentWith, runGatepass, writeTemporary } from '../run-gatepass.ts'

async function shellDocument(script?: string): Promise<{ path: string; command: string }> {
  const credential = await writeShellHelper(script)
  return { path: await writeTemporary('doc.json', documentWith(credential)), command: credential.command ?? '' }
}

const clean = (text: string) => text.replace(/\d+ ms/g, 'N ms')

describe('gatepass simulate', () => {
  test('plays a simulated helper where no document is named, and asks nobody', async () => {
    expect(await runGatepass('simulate', '--scenario', 'token-revoked')).toEqual({
      status: 0,
      stdout: `\
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
`,
      stderr: '',
    })
  })

  test('runs the helper of a document and says so first', async () => {
    const { path, command } = await shellDocument()
    const scenario = await writeTemporary('short.yaml', '[start, turn, wait 61m, turn]')
    const { status, stdout, stderr } = await runGatepass('simulate', path, '--yes', '--scenario', scenario)
    expect({ status, stdout: clean(stdout), stderr }).toEqual({
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
      stderr: `This runs:      ${JSON.stringify(command)}\nand sends to:   a gateway in this process\n`,
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
      args: [bundlePath('aws-bedrock-token')],
      awsEnv: { profile: 'default', awsDir },
    }
    const path = await writeTemporary('doc.json', documentWith(credential))
    const { status, stdout } = await runGatepass('simulate', path, '--yes', '--json')
    const { scenario, summary, events } = JSON.parse(stdout)
    expect({ status, scenario, summary }).toMatchObject({
      status: 0,
      scenario: 'workday',
      summary: { helperRuns: 8, failedRuns: 0, turns: 96, prompts: 0, lostTurns: 0, lostToSimulation: 0 },
    })
    expect(events.length).toBe(8 * 2 + 96 * 3 - 7 + 2)
    expect(stdout).not.toContain('bedrock-api-key')
  })

  test('exits with 1 when a turn was lost', async () => {
    const { path } = await shellDocument('echo "sign in first" >&2; exit 4')
    const { status, stdout } = await runGatepass('simulate', path, '--yes', '--scenario', 'relaunches', '--all')
    expect({ status, lost: /turns lost: +(\d+)/.exec(stdout)?.[1] }).toEqual({ status: 1, lost: '7' })
  })

  test('sends turns to somebody’s gateway, with the document’s own headers', async () => {
    const { path } = await shellDocument('echo opaque')
    const { url, requests } = await startRecordingServer()
    const scenario = await writeTemporary('one.json', '["turn"]')
    const outcome = await runGatepass('simulate', path, '--yes', '--gateway', url, '--scenario', scenario)
    expect(outcome).toMatchObject({ status: 0, stderr: expect.stringContaining(`and sends to:   ${url}/\n`) })
    expect(requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer opaque'])
  })

  test('writes a page that holds no secret', async () => {
    const out = join(await temporaryDirectory(), 'day.html')
    const { path } = await shellDocument('echo canary-7f3a91c2; echo canary-7f3a91c2 >&2')
    const outcome = await runGatepass('simulate', path, '--yes', '--scenario', 'token-revoked', '--html', out, '--json')
    const page = await readFile(out, 'utf8')
    expect(page).toMatch(/^<!doctype html>/)
    expect(outcome.stderr).toMatch(`The timeline is in ${out}\n`)
    for (const text of [page, outcome.stdout, outcome.stderr]) expect(text).not.toContain('canary')
  })

  test('lists what there is to play', async () => {
    const { status, stdout } = await runGatepass('simulate', '--list')
    expect({ status, names: stdout.match(/^[\w-]+/gm)?.slice(0, 3) }).toEqual({
      status: 0,
      names: ['workday', 'laptop-sleep', 'token-revoked'],
    })
  })

  test('tells all that is wrong with a scenario', async () => {
    const path = await writeTemporary('bad.yaml', 'steps:\n  - start\n  - trn\n  - wait 5\n')
    const { status, stdout, stderr } = await runGatepass('simulate', '--scenario', path)
    expect({
      status,
      stdout,
      lines: stderr.split('\n').map((line) => line.replace(path, 'FILE').slice(0, 50)),
    }).toEqual({
      status: 2,
      stdout: '',
      lines: [
        'gatepass: FILE:3: "trn" is not a step; steps are "',
        'gatepass: FILE:4: "5" is not a duration; write 30s',
        'gatepass: hint: see: gatepass simulate --list',
        '',
      ],
    })
  })
})

describe('gatepass simulate refuses', () => {
  const refusal = (message: string, hint: string) => ({
    status: 2,
    stdout: '',
    stderr: expect.stringContaining(`gatepass: ${message}\ngatepass: hint: ${hint}\n`),
  })

  test('to run anything where nobody can be asked', async () => {
    const { path, command } = await shellDocument('touch "$0.ran"; echo t')
    const outcome = await runGatepass('simulate', path)
    expect(outcome).toEqual(refusal('standard input is not a terminal', 'read the lines above, then pass --yes'))
    expect(outcome.stderr).toContain(command)
    await expect(readFile(`${command}.ran`)).rejects.toThrow('ENOENT')
  })

  test.each<[what: string, flags: string[], message: string, hint: string]>([
    [
      'a gateway to which the token would travel unencrypted',
      ['--gateway', 'http://gateway.example.com'],
      '--gateway would carry the token unencrypted to gateway.example.com',
      'use https://',
    ],
    [
      'an address that is none',
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
      'to do something to somebody’s gateway',
      ['--gateway', 'https://gateway.example.com', '--scenario', 'token-revoked'],
      'token-revoked does something to the gateway itself',
      'remove --gateway',
    ],
    [
      'a scenario that is none',
      ['--scenario', 'vacation'],
      'there is no scenario and no file vacation',
      'name a file, or one of: gatepass simulate --list',
    ],
  ])('%s', async (_, flags, message, hint) => {
    expect(await runGatepass('simulate', ...flags)).toEqual(refusal(message, hint))
  })

  test('a scenario whose document a client would not apply', async () => {
    const path = await writeTemporary('s.yaml', '{document: {inference.credential.ttlSec: -1}, steps: [start]}')
    const { status, stderr } = await runGatepass('simulate', '--scenario', path)
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining('inference.credential.ttlSec: ') })
  })

  test('to write its page where it cannot', async () => {
    const page = join(await temporaryDirectory(), 'missing', 'day.html')
    const outcome = await runGatepass('simulate', '--scenario', 'relaunches', '--html', page)
    const stderr = `gatepass: ${page} cannot be written (ENOENT)\ngatepass: hint: name another file with --html\n`
    expect(outcome).toEqual({ status: 5, stdout: expect.stringMatching(/\nturns lost: {7}0\n$/), stderr })
  })

  test('a document that cannot be read', async () => {
    expect(await runGatepass('simulate', '/nowhere/doc.json')).toMatchObject({ status: 2, stdout: '' })
  })
})
