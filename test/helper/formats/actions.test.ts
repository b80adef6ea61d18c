import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { prints } from '../../setup/run-program.ts'
import { toStableValue } from '../../setup/to-stable-text.ts'
import { isRoot } from '../../setup/unprivileged.ts'
import { createFormatDesk, refused } from './format-desk.ts'

const stdin = 'protocol=https\nhost=git.example\n\n'
const gitArgv = ['--format', 'git', '--for-host', 'git.example', 'get']

test.each<[argv: string[], message: string, hint: string]>([
  [['get'], '"get" is for --format bazel or git, and format is json (default)', 'see: badge --help'],
  [['--format', 'token', 'erase'], '"erase" is for --format git, and format is token (argument)', 'see: badge --help'],
  [['--format', 'token', 'x'], 'unexpected argument (options start with "--")', 'see: badge --help'],
  [['get', '--format', 'git'], 'unexpected argument (options start with "--")', 'see: badge --help'],
  [['--format', 'git', 'get', 'x'], 'unexpected argument (options start with "--")', 'see: badge --help'],
  [
    ['--format', 'git'],
    '--format git needs one of get, store, erase after the options, which its client appends',
    'try it with: badge --explain, or give badge to that client',
  ],
  [
    ['--format', 'exec-credential', 'get'],
    '"get" is for --format bazel or git, and format is exec-credential (argument)',
    'see: badge --help',
  ],
  [
    ['--format', 'git', '--for-host', 'https://git.example', 'get'],
    'for-host: one of them is not the name of a host',
    'write a name such as example.com, example.com:8443 or *.example.com, without a scheme and a path',
  ],
])('%j is a usage error', async (argv, message, hint) => {
  const desk = await createFormatDesk()
  expect(await desk.run(argv, { stdin })).toEqual(refused(2, message, hint))
})

test.each([['bazel'], ['git']])('with --format %s somebody has to name the servers', async (format) => {
  const desk = await createFormatDesk()
  const request = format === 'git' ? stdin : '{"uri":"https://git.example"}'
  expect(await desk.run(['--format', format, 'get'], { stdin: request })).toEqual(
    refused(
      3,
      `for-host is not set, and with --format ${format} a token may go only to the servers that it names`,
      'name each server with --for-host, such as --for-host example.com or --for-host example.com:8443',
    ),
  )
})

test('a format of all calls is set by a variable, and the client still appends its action', async () => {
  const desk = await createFormatDesk()
  const env = { GATEPASS_FORMAT: 'git', GATEPASS_FOR_HOST: 'other.example\ngit.example' }
  expect((await desk.run(['get'], { stdin, env })).stdout).toBe(
    'username=oauth2\npassword=badge-1\npassword_expiry_utc=1768485599\n',
  )
})

test.runIf(isRoot)('no option replaces servers that the machine locks', async () => {
  const desk = await createFormatDesk()
  const path = join(desk.machineDirectory, 'badge.json')
  await writeFile(path, '{"for-host": ["own.example"], "locked": ["for-host"]}')
  expect(await desk.run(gitArgv, { stdin })).toEqual(prints(''))
})

test.runIf(isRoot)('no option replaces a format that the machine locks', async () => {
  const desk = await createFormatDesk()
  const path = join(desk.machineDirectory, 'badge.json')
  await writeFile(path, '{"format": "json", "locked": ["format"]}')
  expect(await desk.run(gitArgv, { stdin })).toEqual(
    refused(2, `"get" is for --format bazel or git, and format is json (locked by ${path})`, 'see: badge --help'),
  )
})

test('an explanation needs neither a request nor an action', async () => {
  const desk = await createFormatDesk()
  const explained = await desk.run(['--format', 'git', '--explain'])
  expect(toStableValue(explained)).toEqual(
    prints(`\
context
  unknown (VENDOR_HELPER_CONTEXT is not set); nobody is asked
  ends by itself after N s
options
  client-ttl = 3600 (default)
  client-timeout = 60 (default)
  format = git (argument)
  cache = disk (default)
  renew-early = 25 (default)
  explain = true (argument)
uses
token
  from mint
  lives N s, until DATE
headers
  none
cache
  TEMPORARY/.cache/gatepass/badge-KEY.json
  renewed from DATE on, N min early on this machine
`),
  )
})

test('a stdin that cannot be read, and a request that is not text, too long or late, are reported', async () => {
  const desk = await createFormatDesk()
  const hint = 'have the client of --format git write its request to stdin, and close it'
  const failing = async () => {
    throw Object.assign(new Error('read'), { code: 'EIO' })
  }
  expect([
    await desk.run(gitArgv, { streams: { stdin: failing } }),
    await desk.run(gitArgv, { stdin: Uint8Array.of(0xff) }),
    await desk.run(gitArgv, { stdin: 'x'.repeat(256 * 1024 + 1) }),
  ]).toEqual([
    refused(2, 'stdin cannot be read (EIO)', hint),
    refused(2, 'the request on stdin is not UTF-8 text', hint),
    refused(2, 'the request on stdin is longer than 256 KiB', hint),
  ])
})

test('a client that is told the end of a token is served from the cache whatever its ttl, and never warned', async () => {
  const desk = await createFormatDesk()
  const argv = ['--renew-early', '0', '--format', 'bazel', '--for-host', 'git.example', 'get']
  const request = { stdin: '{"uri":"https://git.example"}' }
  const first = await desk.run(argv, request)
  expect(first).toEqual({
    status: 0,
    stderr: '',
    stdout: '{"headers":{"Authorization":["Bearer badge-1"]},"expires":"2026-01-15T13:59:59Z"}\n',
  })
  // An hour and three quarters later, 15 minutes are left: too little for the ttl of the usual client.
  const now = Date.UTC(2026, 0, 15, 13, 45)
  const clock = { now: () => now, startedAt: now, elapsedMs: () => 0 }
  expect(await desk.run(argv, { ...request, clock })).toEqual(first)
  expect((await desk.run(['--format', 'token'], { clock })).stdout).toBe('badge-2\n')
})
