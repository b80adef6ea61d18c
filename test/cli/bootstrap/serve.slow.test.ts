import { readFile, rm, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { digestFile } from '../../../src/bootstrap/read-release-file.ts'
import { ReleaseFolder } from '../../bootstrap/release-folder.ts'
import { findFreePort } from '../../gateways/gateway-process.ts'
import { fails } from '../../setup/run-program.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { toStableText } from '../../setup/to-stable-text.ts'
import { startIssuerWithPolicy, startLogsCollector, startServerProcess } from '../gateway/verifier/verifier-process.ts'
import { runGatepass } from '../run-gatepass.ts'

async function createServed() {
  const given = await startIssuerWithPolicy()
  const folder = await ReleaseFolder.create()
  const publicKey = join(await temporaryDirectory(), 'release.pem')
  await writeFile(publicKey, folder.key.key.export({ type: 'spki', format: 'pem' }))
  const publish = async (value: object, serial: number) => {
    const manifest = await folder.addRelease({ counter: serial, documents: { '': value } })
    await folder.point({ manifest, serial })
  }
  const flags = [
    '--policy',
    given.policy,
    '--release',
    folder.path,
    '--public-key',
    publicKey,
    '--listen',
    '127.0.0.1:0',
  ]
  return { ...given, folder, publish, publicKey, flags }
}

const etagOf = (value: object) => `"${digestFile(JSON.stringify(value))}"`

/** One request on a connection that is kept; the code of the system where nobody answers. */
function ask(address: string, token: string | undefined, agent?: Agent) {
  const { hostname, port } = new URL(address)
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return new Promise<{ status: number; etag: string | undefined; body: string } | { code: string }>((resolve) => {
    request({ hostname, port, path: '/bootstrap', headers, agent }, (response) => {
      let body = ''
      response.on('data', (chunk: Buffer) => {
        body += chunk.toString()
      })
      response.once('end', () => resolve({ status: response.statusCode ?? 0, etag: response.headers.etag, body }))
    })
      .once('error', ({ code = '' }: NodeJS.ErrnoException) => resolve({ code }))
      .end()
  })
}

/** Asks again until the status, the value or its name is as expected; the time at which a value expires is a word. */
async function waitFor(address: string, token: string, expected: object) {
  await expect
    .poll(async () => toStable(await ask(address, token)), { timeout: 20_000, interval: 50 })
    .toEqual(expected)
}

const toStable = <T extends object>(answer: T) =>
  'body' in answer ? { ...answer, body: toStableBody(`${answer.body}`) } : answer
// Quickly, because one of the documents is long.
const toStableBody = (body: string) => body.replace(/(?<="expiresAt":)\d+/, '0').replace(/"req_[\w-]+"/, '"req_UUID"')

const served = (value: object) => ({
  status: 200,
  etag: etagOf(value),
  body: JSON.stringify({ expiresAt: 0, ...value }),
})

const failed = (status: number, type: string, message: string, reason: string, more = {}) => ({
  status,
  etag: undefined,
  body: JSON.stringify({ type: 'error', error: { type, message, reason, ...more }, request_id: 'req_UUID' }),
})

describe('gatepass bootstrap serve', () => {
  test('answers by the release, the policy and the secret of the moment, and audits no part of them', async () => {
    const { token, issuer, publish, flags, directory, writePolicy } = await createServed()
    const secret = join(directory, 'key')
    await writeFile(secret, 'k-1\n', { mode: 0o600 })
    const audit = join(directory, 'audit.log')
    const server = await startServerProcess(
      'bootstrap',
      'serve',
      ...flags,
      '--secret',
      `key=${secret}`,
      '--audit',
      audit,
    )
    const { listen } = server.addresses
    await waitFor(
      listen,
      token,
      failed(503, 'api_error', 'the server has no configuration yet that it may serve', 'no-release'),
    )
    await publish({ v: 1, key: '{secret.key}' }, 1)
    const withKey = (key: string) => ({
      status: 200,
      etag: expect.any(String),
      body: JSON.stringify({ expiresAt: 0, v: 1, key }),
    })
    await waitFor(listen, token, withKey('k-1'))
    await writeFile(secret, 'k-2\n')
    await waitFor(listen, token, withKey('k-2'))
    await publish({ v: 2 }, 2)
    await waitFor(listen, token, served({ v: 2 }))
    const strangers = await issuer.sign({ sub: 'eve', aud: 'elsewhere', team: 'red' })
    const stranger = toStable(await ask(listen, strangers))
    await writePolicy(['blue'])
    const words = 'the token is good, and no rule of the policy lets its owner pass'
    const detail = 'no rule accepts its claims: team (no accepted value)'
    await waitFor(listen, token, failed(403, 'permission_error', words, 'no-rule', { detail }))
    server.signal('SIGTERM')
    const { status } = await server.ended
    const text = await readFile(audit, 'utf8')
    const statuses = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).status)
    expect({ stranger, status, statuses: [...new Set(statuses)], secrets: text.match(/k-[12]|dana/g) }).toEqual({
      stranger: failed(401, 'authentication_error', 'the token is for another audience', 'audience', {
        detail: 'it is for "elsewhere", not for "models"',
      }),
      status: 0,
      statuses: [503, 200, 401, 403],
      secrets: null,
    })
  })

  test('sends the audit to a collector', async () => {
    const { token, issuer, publish, flags, directory } = await createServed()
    await publish({ v: 1 }, 1)
    const port = await findFreePort()
    const taken = await startLogsCollector(port)
    const headers = join(directory, 'headers')
    await writeFile(headers, 'Api-Key: k\n', { mode: 0o600 })
    const server = await startServerProcess(
      ...['bootstrap', 'serve', ...flags],
      ...['--audit', `otlp:http://127.0.0.1:${port}`, '--audit-headers-file', headers],
    )
    await ask(server.addresses.listen, token)
    await ask(server.addresses.listen, undefined)
    server.signal('SIGTERM')
    const { status, stderr } = await server.ended
    const person = {
      bootstrap: 'answer',
      status: 200,
      issuer: issuer.issuer,
      groups: [],
      release: '1-0123456789ab',
      wave: 2,
      why: 'everybody',
      etag: etagOf({ v: 1 }),
    }
    const stranger = { bootstrap: 'answer', status: 401, reason: 'no-token' }
    const common = { service: 'gatepass-configuration-server', event: 'gatepass.bootstrap.answer', key: 'k' }
    expect({
      status,
      isSecretTold: stderr.includes('Api-Key'),
      taken: taken.map(({ line: { time: _, subject: __, request: ___, ...line }, ...others }) => ({ ...others, line })),
    }).toEqual({
      status: 0,
      isSecretTold: false,
      taken: [
        { ...common, severity: 'INFO', line: person },
        { ...common, severity: 'WARN', line: stranger },
      ],
    })
  })

  test('answers each request with a whole release while releases follow each other', async () => {
    const { token, publish, flags } = await createServed()
    const values = Array.from({ length: 6 }, (_, index) => ({
      part: `a${index}`,
      filler: 'x'.repeat(200_000),
      end: `a${index}`,
    }))
    await publish(values[0]!, 1)
    const server = await startServerProcess('bootstrap', 'serve', ...flags)
    const { listen } = server.addresses
    await waitFor(listen, token, served(values[0]!))
    const seen = new Map<string, number>()
    let isOver = false
    const askOnAndOn = async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      while (!isOver) {
        const answer = await ask(listen, token, agent)
        const whole = 'status' in answer ? JSON.parse(answer.body) : answer
        const word =
          whole.part !== undefined && whole.part === whole.end ? whole.part : JSON.stringify(answer).slice(0, 80)
        seen.set(word, (seen.get(word) ?? 0) + 1)
      }
      agent.destroy()
    }
    const askers = Array.from({ length: 4 }, askOnAndOn)
    for (const [index, value] of values.entries()) {
      await publish(value, index + 2)
      await waitFor(listen, token, served(value))
    }
    isOver = true
    await Promise.all(askers)
    expect([...seen.keys()].toSorted()).toEqual(values.map(({ part }) => part))
  })

  test('keeps known keys while the provider is down, and the last good release while the folder is gone', async () => {
    const { token, issuer, folder, publish, flags } = await createServed()
    await publish({ v: 1 }, 1)
    const server = await startServerProcess('bootstrap', 'serve', ...flags, '--cache-sec', '1')
    const { listen } = server.addresses
    await waitFor(listen, token, served({ v: 1 }))
    await issuer[Symbol.asyncDispose]()
    await rm(folder.path, { recursive: true })
    await sleep(1_500) // more than the second for which it keeps what it has read
    expect(toStable(await ask(listen, token))).toEqual(served({ v: 1 }))
    await expect.poll(() => server.log().some(({ event }) => event === 'release-refused')).toBe(true)
  })
})

const ownKey = 'name the .pub file that `gatepass bootstrap keygen` has written'

test.each<[what: string, argv: readonly string[], status: number, message: string, hint?: string]>([
  [
    'no release',
    ['--policy', 'POLICY', '--public-key', 'KEY'],
    2,
    "required option '--release <directory>' not specified",
  ],
  [
    'a missing key file',
    ['--policy', 'POLICY', '--release', '.', '--public-key', '/nowhere'],
    3,
    'there is no /nowhere',
    ownKey,
  ],
  [
    'a malformed key',
    ['--policy', 'POLICY', '--release', '.', '--public-key', 'POLICY'],
    3,
    'TEMPORARY/policy.json does not hold public Ed25519 keys alone',
    ownKey,
  ],
  [
    'a malformed path',
    ['--path', 'bootstrap'],
    2,
    "option '--path <path>' argument 'bootstrap' is invalid. expected a path such as /bootstrap or /user/bootstrap.",
  ],
  [
    'a secret without a source',
    ['--secret', 'key'],
    2,
    "option '--secret <place...>' argument 'key' is invalid. expected NAME=FILE, or NAME=keychain:SERVICE/ACCOUNT.",
  ],
  [
    'a secret twice',
    ['--secret', 'k=a', '--secret', 'k=b'],
    2,
    "option '--secret <place...>' argument 'k=b' is invalid. k is named twice.",
  ],
  [
    'documents and decisions',
    ['--policy', 'POLICY', '--release', '.', '--public-key', 'KEY', '--decide', '--form', 'flat'],
    2,
    "option '--decide' cannot be used with option '--form <form>'",
  ],
  [
    'a state that cannot be kept',
    ['--policy', 'POLICY', '--release', '.', '--public-key', 'KEY', '--state', '/nowhere/else/served.json'],
    3,
    'cannot write /nowhere/else/served.json (ENOENT)',
    'create the directory /nowhere, in which the server creates its own',
  ],
  [
    'a malformed expiry',
    ['--expires-sec', '5'],
    2,
    "option '--expires-sec <number>' argument '5' is invalid. expected a number of seconds from 60 to 604800.",
  ],
])('does not start with %s', async (_, argv, status, message, hint = 'see: gatepass bootstrap serve --help') => {
  const { policy, publicKey } = await createServed()
  const given = argv.map((word) => (word === 'POLICY' ? policy : word === 'KEY' ? publicKey : word))
  const outcome = await runGatepass('bootstrap', 'serve', ...given)
  // Until then it has logged what it read.
  const stderr = toStableText(outcome.stderr).replaceAll(/^\{.*\n/gm, '')
  expect({ ...outcome, stderr }).toEqual(fails('gatepass', status, message, hint))
})
