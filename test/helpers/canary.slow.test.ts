import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runBundle } from '../setup/run-bundle.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { type Behaviour, startFront } from '../stand-ins/front/front.ts'
import { seedSignIn, toUnsignedJwt } from './oidc-token/seed-sign-in.ts'

/** A part of every secret here, so that one search finds them all; the second is how a JWT begins. */
const canaries = ['canary', 'eyJ']

interface Call {
  readonly argv: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** Runs a helper that fails, with a log, and searches everything that the run has written. */
async function expectNothingLeaks(helper: string, home: string, { argv, env }: Call, status: number): Promise<void> {
  const log = join(home, 'calls.log')
  const all = [...argv, '--client-timeout', '8', '--log-file', log]
  const outcome = await runBundle(helper, { argv: all, env: { HOME: home, DEBUG: '*', ...env } })
  expect({ ...outcome, stderr: outcome.stderr.split('\n').length }).toEqual({ status, stdout: '', stderr: 3 })
  const written = [outcome.stderr, await readFile(log, 'utf8'), ...(await readTree(join(home, '.cache')))]
  expect(JSON.parse(written[1] ?? '').status).toBe(status)
  expect(canaries.filter((part) => written.join('\n').includes(part))).toEqual([])
}

/** Reads the names of all files below a directory, and what is in them: no token is kept here. */
async function readTree(directory: string): Promise<string[]> {
  const files = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => [])
  const own = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name))
  return [...own, ...(await Promise.all(own.map((path) => readFile(path, 'utf8'))))]
}

const secret = 'sk-vendor-canary'
const json = { 'content-type': 'application/json' }
const echo = { error: 'invalid_grant', error_description: secret, error_uri: `https://a.example/?${secret}` }

/** The behaviours of a server that is sent a secret, with the exit statuses of the helpers that depend on it. */
const behaviours: readonly (readonly [Behaviour, workload: number, oidc: number, verify: number])[] = [
  ['reset', 6, 6, 6],
  ['silence', 7, 7, 7],
  [{ status: 503, body: 'canary' }, 6, 6, 6],
  [{ status: 200, body: '<p>canary' }, 6, 6, 6],
  [{ status: 200, headers: json, body: `{"access_token": "${secret}\\nX-Key: ${secret}"}` }, 6, 5, 6],
  [{ status: 302, headers: { location: 'http://127.0.0.1:1/canary' } }, 6, 6, 5],
  [{ status: 400, headers: json, body: JSON.stringify(echo) }, 5, 4, 5],
]

test.each(behaviours)('workload-token leaks nothing where the platform does %j', async (behaviour, status) => {
  const home = await temporaryDirectory()
  await using platform = await startFront('')
  platform.behave(behaviour)
  const target = ['--base-url', platform.url, '--organization', 'org-1', '--federation-rule', 'rule-1']
  const argv = [...target, '--identity', 'variable', '--identity-variable', 'OWN']
  const OWN = toUnsignedJwt({ iss: 'https://id.example', sub: 'runner', jti: secret, exp: 4_000_000_000 })
  await expectNothingLeaks('workload-token', home, { argv, env: { OWN } }, status)
})

test.each(behaviours)('oidc-token leaks nothing where the provider does %j', async (behaviour, _, status) => {
  const home = await temporaryDirectory()
  await using provider = await startFront('')
  provider.behave(behaviour)
  const file = join(home, 'secret')
  await writeFile(file, 'canary-client', { mode: 0o600 })
  const urls = ['--authorization-url', `${provider.url}/authorize`, '--token-url', `${provider.url}/token`]
  const kind = ['--bearer-token-type', 'access_token', '--scopes', 'gateway', '--refresh-token-store', 'file']
  const argv = [...['--client-id', 'desk', '--client-secret-file', file], ...urls, ...kind]
  const idToken = toUnsignedJwt({ iss: 'https://id.example', sub: 'canary', exp: 4_000_000_000 })
  const ended = { idToken, accessToken: secret, refreshToken: secret, lifeSec: -60, ageSec: 7200 }
  await seedSignIn(home, argv, ended)
  await expectNothingLeaks('oidc-token', home, { argv }, status)
  expect((await readTree(join(home, '.local'))).join('\n')).not.toContain('canary')
})

test.each<[what: string, key: string, argv: readonly string[], status: number]>([
  ['that is two lines', 'sk-vendor-canary\neyJ', [], 3],
  ['that names a header', 'x-api-key: sk-vendor-canary', [], 3],
  ['in JSON that breaks off', '{"token": "sk-vendor-canary"', [], 3],
  ['whose date is not one', '{"token": "sk-vendor-canary", "expiresAt": "canary"}', [], 3],
  ['that has ended', '{"token": "sk-vendor-canary", "expiresAt": "2020-01-01T00:00:00Z"}', [], 5],
  ['for a header that no client sends', 'sk-vendor-canary', ['--header', 'X-Who: {nobody}'], 2],
  ['that stands where its place is named', '', ['--key-name', 'sk-vendor-api01-canary0123456789abcdef'], 2],
])('api-key leaks nothing of a key %s', async (_, key, argv, status) => {
  const home = await temporaryDirectory()
  const path = join(home, 'key')
  await writeFile(path, key, { mode: 0o600 })
  await expectNothingLeaks(
    'api-key',
    home,
    { argv: ['--key-file', path, ...argv], env: { VENDOR_API_KEY: key } },
    status,
  )
})

test.each(behaviours)('api-key --verify leaks nothing where the platform does %j', async (behaviour, _, __, status) => {
  const home = await temporaryDirectory()
  await using platform = await startFront('')
  platform.behave(behaviour)
  const argv = ['--key-variable', 'OWN', '--verify', '--base-url', platform.url]
  await expectNothingLeaks('api-key', home, { argv, env: { OWN: secret } }, status)
})
