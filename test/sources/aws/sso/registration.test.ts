import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { Secret } from '../../../../src/runtime/secret.ts'
import { resolveRegisteredClient } from '../../../../src/sources/aws/sso/registration.ts'
import { registrationFile, session, startSsoBench, startUrl } from './sso-bench.ts'

const end = Date.UTC(2026, 0, 31, 12)

/** Prepares a desk at which AWS registers clients a quarter of an hour before `end`, and the file in which one is kept. */
async function startDesk(file = registrationFile, of: Partial<typeof session> = session) {
  const bench = await startSsoBench()
  bench.aws.sso.addPortal(startUrl, { assignments: [] })
  const path = join(dirname(bench.path), file)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const clock = { ...bench.parts.host.clock, now: () => end - 15 * 60_000 }
  const parts = { ...bench.parts, host: { ...bench.parts.host, clock } }
  return {
    path,
    asked: bench.asked,
    [Symbol.asyncDispose]: () => bench[Symbol.asyncDispose](),
    resolve: async ({ grant = 'authorization_code', refused }: Pick<Given, 'grant' | 'refused'> = {}) => {
      const request = { session: { startUrl, region: 'other', ...of }, grant, issuerUrl: startUrl }
      const client = refused === undefined ? undefined : { id: refused, secret: new Secret('s') }
      return (await resolveRegisteredClient(request, parts, client)).id
    },
    readKept: () => readFile(path, 'utf8'),
  }
}

interface Given {
  readonly file?: object | string
  readonly refused?: string
  readonly grant?: 'authorization_code' | 'device_code'
}

const forDevice = { clientId: 'stored', clientSecret: 's', expiresAt: '2026-01-31T12:00:00Z' }
const stored = { ...forDevice, grantTypes: ['authorization_code', 'refresh_token'], scopes: ['sso:account:access'] }
const registered = ['RegisterClient 200']

test.each<[what: string, given: Given, id: 'stored' | 'client-1']>([
  ['the client that is stored, a quarter of an hour before its end', { file: stored }, 'stored'],
  ['the client that is stored, where AWS has refused another', { file: stored, refused: 'an older one' }, 'stored'],
  ['the client that is stored for codes on a device', { file: forDevice, grant: 'device_code' }, 'stored'],
  ['a new client, where AWS has refused the stored one', { file: stored, refused: 'stored' }, 'client-1'],
  [
    'a new client, where the stored one is about to end',
    { file: { ...stored, expiresAt: '2026-01-31T11:59:59Z' } },
    'client-1',
  ],
  ['a new client, where the stored one is for codes on a device', { file: forDevice }, 'client-1'],
  ['a new client for a device, where the stored one is not', { file: stored, grant: 'device_code' }, 'client-1'],
  ['a new client, where the file lacks a member', { file: { clientId: 'stored' } }, 'client-1'],
  ['a new client, where the file is damaged', { file: '{"clientId' }, 'client-1'],
  ['a new client, where none is stored', {}, 'client-1'],
])('a sign-in begins with %s, which is kept', async (_, { file, ...given }, id) => {
  await using desk = await startDesk()
  if (file !== undefined) await writeFile(desk.path, typeof file === 'string' ? file : JSON.stringify(file))
  expect([await desk.resolve(given), JSON.parse(await desk.readKept()).clientId, desk.asked()]).toEqual([
    id,
    id,
    id === 'stored' ? [] : registered,
  ])
})

const forCode = (...scopes: string[]) =>
  `, "scopes": ["${scopes.join('", "')}"], "grantTypes": ["authorization_code", "refresh_token"]`

// Each digest was computed by Python's own hashlib and json.dumps, as botocore does.
test.each([
  [
    { session: 'corp', scopes: ['sso:account:access', 'codewhisperer:x'] },
    'authorization_code',
    '049b19e5272a30834122f598159dc17aa162c6e8',
    forCode('sso:account:access', 'codewhisperer:x'),
  ],
  [{}, 'device_code', 'd523465694e236d83246e62a7fc592e4abdbda81', ''],
  [
    { session: 'bü\x7f"\\🔑', scopes: [] },
    'authorization_code',
    '3cfb4f73c0184079e67e6a919e0cb7a7ed9494ee',
    forCode('sso:account:access'),
  ],
] as const)(
  'a client is kept where the AWS CLI keeps it, and as it writes it: %j for %s',
  async (of, grant, digest, rest) => {
    await using desk = await startDesk(`${digest}.json`, of as object)
    await desk.resolve({ grant })
    const text = await desk.readKept()
    const { expiresAt } = JSON.parse(text)
    expect(text).toBe(
      `{"clientId": "client-1", "clientSecret": "canary-client-secret-1", "expiresAt": "${expiresAt}"${rest}}`,
    )
  },
)

test('the second of two sign-ins at once begins with the client that the first has registered', async () => {
  await using desk = await startDesk()
  const ids = await Promise.all([desk.resolve(), desk.resolve()])
  expect({ ids, asked: desk.asked() }).toEqual({ ids: ['client-1', 'client-1'], asked: registered })
})
