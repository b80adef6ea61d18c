import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { startRedis } from '../../stand-ins/redis/start-redis.ts'
import { createAuthority } from '../../stand-ins/tls/certificate.ts'
import { noNetwork, openStore, tryUse } from './open-store.ts'

const run = promisify(execFile)
const available = { kind: 'available' }
const hint = expect.any(String)

async function askRedis(port: number, ...words: readonly string[]): Promise<string> {
  return (await run('redis-cli', ['-p', String(port), ...words])).stdout.trim()
}

test('exactly one of 200 uses of one token at four verifiers, each a process, is the first', async () => {
  const { port } = await startRedis()
  const verifiers = Array.from({ length: 4 }, () =>
    run(process.execPath, [
      join(import.meta.dirname, 'use-many.ts'),
      `redis://127.0.0.1:${port}`,
      'shared',
      '50',
      String(Date.now() + 1_500),
    ]),
  )
  const printed = (await Promise.all(verifiers)).map(({ stdout }) => JSON.parse(stdout))
  const sum = (field: 'first' | 'uses') => printed.reduce((total, one) => total + one[field], 0)
  expect({ first: sum('first'), uses: sum('uses'), keys: await askRedis(port, 'KEYS', 'gatepass:used:[^e]*') }).toEqual(
    {
      first: 1,
      uses: 200,
      keys: 'gatepass:used:shared',
    },
  )
})

test('a verifier that stood still itself keeps its connection', async () => {
  const { port } = await startRedis()
  const { store, reports } = await openStore(`redis://127.0.0.1:${port}`, { waitMs: 500 })
  const use = tryUse(store, 'd')
  await new Promise(setImmediate) // the command is sent
  for (const end = performance.now() + 700; performance.now() < end; );
  expect({ use: await use, again: await tryUse(store, 'd'), reports }).toEqual({
    use: 'first',
    again: 'again',
    reports: [available],
  })
})

test('a digest outlives its token by five minutes by the clock of Redis', async () => {
  const { port } = await startRedis()
  const hourAhead = () => Date.now() + 3_600_000
  const { store } = await openStore(`redis://127.0.0.1:${port}/3`, { now: hourAhead })
  await store.use('d', hourAhead() + 60_000)
  const lifeMs = Number(await askRedis(port, '-n', '3', 'PTTL', 'gatepass:used:d'))
  expect({ short: lifeMs < 350_000, long: lifeMs > 360_000 }).toEqual({ short: false, long: false })
})

test('a user of the access control list needs only the rights that are granted here', async () => {
  const { port } = await startRedis(
    ...'--user default off --user gatepass on >hunter2 ~gatepass:used:* +set +get +info'.split(' '),
    ...'--user poor on >hunter2 ~* +get'.split(' '),
  )
  const as = (user: string, password?: string) =>
    openStore(`redis://${user}127.0.0.1:${port}`, password === undefined ? {} : { password })
  const good = await as('gatepass@', 'hunter2')
  const refused = await Promise.all([as('gatepass@', 'wrong'), as('poor@', 'hunter2'), as('')])
  expect({ use: await tryUse(good.store, 'd'), reports: [good, ...refused].map(({ reports }) => reports) }).toEqual({
    use: 'first',
    reports: [
      [available],
      ...[
        'refuses the password',
        'does not allow its user the commands or keys that are needed',
        'asks for a password',
      ].map((what) => [{ kind: 'unavailable', message: `Redis at 127.0.0.1:${port} ${what}`, hint }]),
    ],
  })
})

test('over TLS the authority has to be trusted, and the name has to match the certificate', async () => {
  const authority = createAuthority('Redis CA')
  const { cert, key } = authority.issue({ names: ['localhost'] })
  const directory = await temporaryDirectory()
  const files = { ca: join(directory, 'ca.pem'), cert: join(directory, 'cert.pem'), key: join(directory, 'key.pem') }
  await Promise.all([writeFile(files.ca, authority.cert), writeFile(files.cert, cert), writeFile(files.key, key)])
  const tls = ['--tls-cert-file', files.cert, '--tls-key-file', files.key, '--tls-auth-clients', 'no']
  const { port } = await startRedis('--tls-port', '{port}', ...tls)
  const network = { ...noNetwork, authorities: [{ path: files.ca, origin: 'option ca' }] }
  const stores = [
    await openStore(`rediss://localhost:${port}`, { network }),
    await openStore(`rediss://localhost:${port}`),
    await openStore(`rediss://127.0.0.1:${port}`, { network }),
    await openStore(`redis://localhost:${port}`),
  ]
  const uses = await Promise.all(stores.map(({ store }) => tryUse(store, 'd')))
  const refused = (host: string, what: string) => `replay-store-unavailable: Redis at ${host}:${port} ${what}`
  expect(uses).toEqual([
    'first',
    refused('localhost', 'presents a certificate that is not trusted (UNABLE_TO_VERIFY_LEAF_SIGNATURE)'),
    refused('127.0.0.1', 'presents a certificate that is not trusted (ERR_TLS_CERT_ALTNAME_INVALID)'),
    refused('localhost', 'closed the connection'),
  ])
})

test('a Unix socket reaches Redis too', async () => {
  const { directory } = await startRedis('--unixsocket', '{directory}/r.sock')
  const { store } = await openStore(`unix://${encodeURI(directory)}/r.sock?db=1`)
  expect([await tryUse(store, 'd'), await tryUse(store, 'd')]).toEqual(['first', 'again'])
})

test('uses fail within their time while a Redis stands still', async () => {
  const redis = await startRedis()
  const { store, reports } = await openStore(`redis://127.0.0.1:${redis.port}`, { waitMs: 200 })
  redis.signal('SIGSTOP')
  const began = performance.now()
  const waited = await tryUse(store, 'a')
  const bounded = performance.now() - began < 2_000
  const atOnce = await Promise.all(['a', 'b', 'c'].map((digest) => tryUse(store, digest)))
  redis.signal('SIGCONT')
  await expect.poll(() => reports.at(-1), { timeout: 10_000 }).toEqual(available)
  const late = 'Redis has not answered within 200 ms'
  const refused = `replay-store-unavailable: ${late}`
  const after = [await tryUse(store, 'a'), await tryUse(store, 'a'), await tryUse(store, 'b')]
  expect({ waited, bounded, atOnce, after }).toEqual({
    waited: refused,
    bounded: true,
    atOnce: [refused, refused, refused],
    after: ['first', 'again', 'first'],
  })
})

test('a Redis that is killed fails closed, and without its data lets a token pass twice', async () => {
  const redis = await startRedis()
  const { store, reports } = await openStore(`redis://127.0.0.1:${redis.port}`, { waitMs: 5_000 })
  const before = await tryUse(store, 'd')
  await redis.kill()
  await expect.poll(() => store.isAvailable(), { timeout: 10_000 }).toBe(false)
  const between = await tryUse(store, 'd')
  await redis.restart()
  await expect.poll(() => reports.at(-1), { timeout: 10_000 }).toEqual(available)
  // The first thing that it meets is the end of the connection, or that nobody listens.
  const gone = `Redis at 127.0.0.1:${redis.port} is gone`
  const nameEither = (text: string) =>
    text.replace(/(closed the connection|cannot be reached \(ECONNREFUSED\))$/, 'is gone')
  const back = store.isAvailable()
  const after = await tryUse(store, 'd')
  const told = reports
    .slice(0, 2)
    .map((report) => ('message' in report ? { ...report, message: nameEither(report.message) } : report))
  expect({ before, back, between: nameEither(between), after, told }).toEqual({
    before: 'first',
    back: true,
    between: `replay-store-unavailable: ${gone}`,
    after: 'first',
    told: [available, { kind: 'unavailable', message: gone, hint }],
  })
})

test('a Redis that writes each use to the disk has forgotten none when it is killed', async () => {
  const redis = await startRedis('--appendonly', 'yes', '--appendfsync', 'always')
  const { store, reports } = await openStore(`redis://127.0.0.1:${redis.port}`, { waitMs: 5_000 })
  const before = await Promise.all(['a', 'b', 'c'].map((digest) => tryUse(store, digest)))
  await redis.kill()
  await expect.poll(() => store.isAvailable(), { timeout: 10_000 }).toBe(false)
  await redis.restart()
  await expect.poll(() => reports.at(-1), { timeout: 10_000 }).toEqual(available)
  const after = await Promise.all(['a', 'b', 'c', 'd'].map((digest) => tryUse(store, digest)))
  expect({ before, after }).toEqual({
    before: ['first', 'first', 'first'],
    after: ['again', 'again', 'again', 'first'],
  })
})

test('a Redis that is not there yet is found when it starts', async () => {
  const redis = await startRedis()
  await redis.kill()
  const { store, reports } = await openStore(`redis://127.0.0.1:${redis.port}`)
  const before = await tryUse(store, 'd')
  await redis.restart()
  await expect.poll(() => reports.at(-1), { timeout: 10_000 }).toEqual(available)
  expect([before, await tryUse(store, 'd')]).toEqual([
    `replay-store-unavailable: Redis at 127.0.0.1:${redis.port} cannot be reached (ECONNREFUSED)`,
    'first',
  ])
})

test('the message says why nothing can be written: a full Redis, a replica, a server of a cluster, too many clients', async () => {
  const main = await startRedis()
  const servers = await Promise.all([
    startRedis('--maxmemory', '1', '--maxmemory-policy', 'noeviction'),
    startRedis('--replicaof', '127.0.0.1', String(main.port)),
    startRedis('--cluster-enabled', 'yes'),
    startRedis('--maxclients', '1'),
  ])
  const [, , , crowded] = servers
  const { store: only } = await openStore(`redis://127.0.0.1:${crowded!.port}`)
  const uses = await Promise.all(
    servers.map(async ({ port }) => {
      const { store } = await openStore(`redis://127.0.0.1:${port}`)
      return (await tryUse(store, 'd')).replace(String(port), 'PORT')
    }),
  )
  const refused = (what: string) => `replay-store-unavailable: Redis at 127.0.0.1:PORT ${what}`
  expect({ only: await tryUse(only, 'd'), uses }).toEqual({
    only: 'first',
    uses: [
      refused('has no memory left'),
      refused('is a replica, which cannot be written to'),
      refused('is one server of a Redis Cluster'),
      refused('answers with an error'),
    ],
  })
})

test('a Redis that fills up while it is used fails closed, and is used again when it has room', async () => {
  const { port } = await startRedis()
  const { store, reports } = await openStore(`redis://127.0.0.1:${port}`)
  await askRedis(port, 'CONFIG', 'SET', 'maxmemory', '1')
  const full = await tryUse(store, 'd')
  await askRedis(port, 'CONFIG', 'SET', 'maxmemory', '0')
  await expect.poll(() => reports.at(-1), { timeout: 10_000 }).toEqual(available)
  expect([full, await tryUse(store, 'd')]).toEqual([
    `replay-store-unavailable: Redis at 127.0.0.1:${port} has no memory left`,
    'first',
  ])
})

test('warns of a policy that removes digests', async () => {
  const { port } = await startRedis('--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru')
  const { reports } = await openStore(`redis://127.0.0.1:${port}`)
  expect(reports).toEqual([
    available,
    {
      kind: 'warning',
      message: `Redis at 127.0.0.1:${port} may forget used tokens when its memory is full (maxmemory-policy allkeys-lru): they would pass again`,
      hint: 'set maxmemory-policy to noeviction, or give the verifiers a Redis of their own',
    },
  ])
})
