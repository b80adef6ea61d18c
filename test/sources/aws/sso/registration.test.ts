import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { Secret } from '../../../../src/runtime/secret.ts'
import {
  parseRegistration,
  resolveRegisteredClient,
  toRegistrationPath,
} from '../../../../src/sources/aws/sso/registration.ts'
import { session, startSsoBench, startUrl } from './sso-bench.ts'

const forCode = { grantTypes: ['authorization_code', 'refresh_token'], scopes: ['sso:account:access'] }
const stored = { clientId: 'stored', clientSecret: 's', expiresAt: '2099-01-01T00:00:00Z', ...forCode }
const request = { session, grant: 'authorization_code', issuerUrl: startUrl } as const

/** Prepares a desk at which AWS registers clients, and the file in which they are kept. */
async function startDesk() {
  const bench = await startSsoBench()
  bench.aws.sso.addPortal(startUrl, { assignments: [] })
  const path = toRegistrationPath(session, session.region, bench.parts.host)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  return {
    path,
    asked: bench.asked,
    [Symbol.asyncDispose]: () => bench[Symbol.asyncDispose](),
    resolve: async (refused?: string) => {
      const client = refused === undefined ? undefined : { id: refused, secret: new Secret('s') }
      return (await resolveRegisteredClient(request, bench.parts, client)).id
    },
    readKept: async () => parseRegistration(await readFile(path, 'utf8'))?.client.id,
  }
}

const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
const registered = ['RegisterClient 200']

test.each<[what: string, file: object | string | undefined, refused: string | undefined, id: string, asked: string[]]>([
  ['the client that is stored', stored, undefined, 'stored', []],
  ['the client that is stored, where AWS has refused another', stored, 'an older one', 'stored', []],
  ['a new client, where AWS has refused the stored one', stored, 'stored', 'client-1', registered],
  [
    'a new client, where the stored one is about to end',
    { ...stored, expiresAt: inMinutes(14) },
    undefined,
    'client-1',
    registered,
  ],
  [
    'a new client, where the stored one is for codes on a device',
    { ...stored, grantTypes: undefined },
    undefined,
    'client-1',
    registered,
  ],
  ['a new client, where the file is damaged', '{"clientId', undefined, 'client-1', registered],
  ['a new client, where none is stored', undefined, undefined, 'client-1', registered],
])('a sign-in begins with %s, which is kept', async (_, file, refused, id, asked) => {
  await using desk = await startDesk()
  if (file !== undefined) await writeFile(desk.path, typeof file === 'string' ? file : JSON.stringify(file))
  expect([await desk.resolve(refused), await desk.readKept(), desk.asked()]).toEqual([id, id, asked])
})

test('the second of two sign-ins at once begins with the client that the first has registered', async () => {
  await using desk = await startDesk()
  expect(await Promise.all([desk.resolve(), desk.resolve()])).toEqual(['client-1', 'client-1'])
  expect(desk.asked()).toEqual(registered)
})
