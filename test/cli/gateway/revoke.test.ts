import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runCli } from '../../../src/cli/run-cli.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { createTestCli } from '../run-here.ts'

async function revokeHere(...argv: readonly string[]) {
  const { cli, written } = await createTestCli(['gateway', 'revoke', ...argv])
  await runCli(cli)
  return written
}

test('every kind of entry is appended, with its times, and printed', async () => {
  const path = join(await temporaryDirectory(), 'revoked.jsonl')
  const file = ['--file', path]
  const lines = [
    await revokeHere('--subject', 'dana', '--issuer', 'https://id.example', '--note', 'left', ...file),
    await revokeHere('--email', 'dana@corp.example', '--until', '2030-01-01T00:00:00+01:00', ...file),
    await revokeHere('--session', 's1', '--issued-before', '2026-11-28T09:00:00Z', ...file),
    await revokeHere('--token', 't1', ...file),
    await revokeHere('--key', 'k1', ...file),
  ]
  const texts = [
    '{"subject":"dana","issuer":"https://id.example","note":"left"}\n',
    '{"email":"dana@corp.example","until":"2029-12-31T23:00:00.000Z"}\n',
    '{"session":"s1","before":"2026-11-28T09:00:00.000Z"}\n',
    '{"token":"t1"}\n',
    '{"key":"k1"}\n',
  ]
  expect({ lines, text: await readFile(path, 'utf8') }).toEqual({
    lines: texts.map((stdout) => ({ status: 0, stdout, stderr: '' })),
    text: texts.join(''),
  })
})

describe('gatepass gateway revoke', () => {
  test.each([
    [
      'nothing to revoke',
      ['--file', 'x'],
      'it is not clear what is revoked\ngatepass: hint: name one of --subject, --email, --session, --token, --key\n',
    ],
    [
      'two things',
      ['--subject', 'a', '--token', 'b', '--file', 'x'],
      'it is not clear what is revoked\ngatepass: hint: name one of --subject, --email, --session, --token, --key\n',
    ],
    [
      'two lists',
      ['--subject', 'a', '--file', 'x', '--redis', 'redis://127.0.0.1'],
      'it is not clear which list is meant\ngatepass: hint: name one of --file FILE and --redis URL\n',
    ],
    [
      'a tenant of a file',
      ['--subject', 'a', '--file', 'x', '--tenant', 'red'],
      '--tenant is for a list in Redis\ngatepass: hint: name the file of that tenant, without --tenant\n',
    ],
    [
      'another form of time',
      ['--subject', 'a', '--until', 'tomorrow', '--file', 'x'],
      "option '--until <time>' argument 'tomorrow' is invalid. expected now, or a time such as 2026-11-28T09:00:00Z.\ngatepass: hint: see: gatepass gateway revoke --help\n",
    ],
  ])('refuses %s', async (_, argv, stderr) => {
    expect(await revokeHere(...argv)).toEqual({ status: 2, stdout: '', stderr: `gatepass: ${stderr}` })
  })
})
