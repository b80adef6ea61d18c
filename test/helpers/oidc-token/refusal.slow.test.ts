import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type ClientProcess, startClientProcess } from '../../setup/client-process.ts'
import { fails, type Outcome, prints } from '../../setup/run-program.ts'
import { opens, type PersonDesk, startPersonDesk } from './person-desk.ts'

const tokenOf = ({ stdout }: Outcome) => (stdout === '' ? undefined : (JSON.parse(stdout).token as string))
const refresh = { context: 'mid-session-refresh' } as const

/** Returns a run that prints this token, and says nothing. */
const printed = (token: string | undefined) => ({ status: 0, stdout: `${JSON.stringify({ token })}\n`, stderr: '' })

/** Returns a run in which nobody is asked, after the refusal, in the words of the desk. */
const refused = (...options: readonly string[]) =>
  fails(
    'oidc-token',
    4,
    'the gateway refused the token of the sign-in to HOST at DATE, N s after a client had got it',
    `start a new session, which lets a person sign in, or run: oidc-token sign-in ${['SITE', ...options].join(' ')}`,
  )

/** Prepares a desk on which somebody is signed in, and the token that a client was given. */
async function startSignedIn(client: ClientProcess, argv?: (desk: PersonDesk) => readonly string[]) {
  const desk = await startPersonDesk()
  const words = argv?.(desk) ?? desk.site
  const first = await desk.run({ client, argv: words })
  expect(await desk.toWords({ ...first, stdout: '' })).toEqual({ status: 0, stdout: '', stderr: opens })
  return { desk, argv: words, token: tokenOf(first) }
}

const ttl = (desk: PersonDesk) => [...desk.site, '--client-ttl', '2']

/** Prepares a desk whose token two clients were given, one of them with a header too, for which an entry of its own is kept. */
async function startTwoClients() {
  const [client, other] = [startClientProcess(), startClientProcess()]
  const { desk, token } = await startSignedIn(client)
  const withHeader = [...desk.site, '--header', 'X-Who: {subject}']
  const given = [await desk.run({ client: other }), await desk.run({ client: other, argv: withHeader })]
  expect(given.map(tokenOf)).toEqual([token, token])
  return { client, other, desk, token, withHeader }
}

test('a token that the gateway refused is served to nobody again', async () => {
  const { client, other, desk, withHeader } = await startTwoClients()
  const again = await Promise.all([desk.runInWords({ client, ...refresh }), desk.runInWords({ client, ...refresh })])
  for (const call of [refresh, { context: 'background' }, { context: 'scheduled-task' }] as const)
    again.push(await desk.runInWords({ client: other, ...call }))
  const withOptions = await desk.runInWords({ argv: withHeader, context: 'background' })
  const entries = (await readdir(join(desk.home, '.cache/gatepass'))).filter((name) => name.endsWith('.json'))
  expect({ again, withOptions, entries, tabs: (await desk.readTabs()).length }).toEqual({
    again: Array(5).fill(refused()),
    withOptions: {
      ...refused(),
      stderr: refused().stderr.replace(/: (\S+ sign-in) SITE/, ', with the options of this run: $1'),
    },
    entries: [],
    tabs: 1,
  })
})

test('the session after a refusal asks a person, and silent runs are served the new token', async () => {
  const { client, other, desk, token } = await startTwoClients()
  const refreshed = await desk.runInWords({ client, ...refresh })
  const session = await desk.run({ client: other })
  const silent = await desk.run({ client, context: 'background' })
  const found = { isNew: tokenOf(session) !== token, tabs: (await desk.readTabs()).length }
  expect({ refreshed, session: await desk.toWords(session), silent, ...found }).toEqual({
    refreshed: refused(),
    session: prints('{"token":"JWT"}\n', opens),
    silent: printed(tokenOf(session)),
    isNew: true,
    tabs: 2,
  })
})

test('windows that start a session at once after a refusal share one sign-in', async () => {
  const clients = Array.from({ length: 4 }, startClientProcess)
  const { desk, token } = await startSignedIn(clients[0]!)
  const refreshed = await desk.runInWords({ client: clients[0]!, ...refresh })
  const [shared, ...others] = (await Promise.all(clients.map((client) => desk.run({ client })))).map(tokenOf)
  const found = { isNew: shared !== token, tabs: (await desk.readTabs()).length }
  expect({ refreshed, others, ...found }).toEqual({
    refreshed: refused(),
    others: Array(3).fill(shared),
    isNew: true,
    tabs: 2,
  })
})

test('sixteen windows that expire one after the other lose no token', async () => {
  const clients = Array.from({ length: 16 }, startClientProcess)
  const one = startClientProcess()
  const { desk, argv, token } = await startSignedIn(one, ttl)
  const windows = [...clients, ...Array<ClientProcess>(15).fill(one)]
  await Promise.all(windows.map((client) => desk.run({ client, argv })))
  await sleep(2_000) // the ttl of the client
  const outcomes: Outcome[] = []
  for (const client of [one, ...windows]) outcomes.push(await desk.run({ client, argv, ...refresh }))
  outcomes.push(await desk.run({ client: startClientProcess(), argv }))
  expect({ outcomes, tabs: (await desk.readTabs()).length }).toEqual({
    outcomes: Array(windows.length + 2).fill(printed(token)),
    tabs: 1,
  })
}, 120_000)

test('a refresh by a wrapper script, which is another process each time, counts as an expiry', async () => {
  const { desk, token } = await startSignedIn(startClientProcess())
  for (let calls = 0; calls < 3; calls += 1)
    expect(await desk.run({ client: startClientProcess(), ...refresh })).toEqual(printed(token))
})

test('a call that is served from its memo counts as a hand-out', async () => {
  const [first, client] = [startClientProcess(), startClientProcess()]
  const { desk, token } = await startSignedIn(first)
  // A file that changed within the last two seconds is not remembered.
  await sleep(2_500)
  await desk.run({ client: first })
  const memos = (await readdir(join(desk.home, '.cache/gatepass'))).filter((name) => name.endsWith('.memo'))
  const outcomes = [await desk.run({ client }), await desk.runInWords({ client, ...refresh })]
  expect({ memos: memos.length, outcomes }).toEqual({ memos: 1, outcomes: [printed(token), refused()] })
})

test('a refusal while the provider is away is remembered until it is back', async () => {
  const client = startClientProcess()
  const { desk, argv } = await startSignedIn(client, ({ site }) => [...site, '--refresh-token-store', 'file'])
  await desk.provider.goDown()
  expect([
    await desk.runInWords({ client, argv, ...refresh }),
    await desk.runInWords({ client: startClientProcess(), argv, context: 'background' }),
  ]).toEqual(Array(2).fill(fails('oidc-token', 6, 'HOST cannot be reached (ECONNREFUSED)', 'check what runs at HOST')))
}, 120_000)

test('where a refresh token is kept a refusal costs a renewal, and no person', async () => {
  const client = startClientProcess()
  const { desk, argv, token } = await startSignedIn(client, ({ site }) => [...site, '--refresh-token-store', 'file'])
  const renewed = await desk.run({ client, argv, ...refresh })
  const next = await desk.run({ client: startClientProcess(), argv })
  const found = { isNew: renewed.stdout !== '' && tokenOf(renewed) !== token, tabs: (await desk.readTabs()).length }
  expect({ next, ...found }).toEqual({ next: printed(tokenOf(renewed)), isNew: true, tabs: 1 })
})

/** Prepares a sign-in that the provider has ended, after the ttl of the three clients that were given its token. */
async function startEnded() {
  const clients = Array.from({ length: 3 }, startClientProcess)
  const { desk, argv, token } = await startSignedIn(clients[0]!, (own) => [
    ...ttl(own),
    '--refresh-token-store',
    'file',
  ])
  for (const client of clients.slice(1)) await desk.run({ client, argv })
  desk.provider.revokeEverything()
  await sleep(2_000) // the ttl of the client
  return { clients, desk, argv, token }
}

test('a token that the provider has ended is printed to its end where the ttl has passed', async () => {
  const { clients, desk, argv, token } = await startEnded()
  const warned = await desk.run({ client: clients[0]!, argv, ...refresh })
  expect({ token: tokenOf(warned), words: await desk.toWords(warned) }).toEqual({
    token,
    words: prints(
      '{"token":"JWT"}\n',
      'oidc-token: warning: the sign-in to HOST has ended (invalid_grant); it says: grant request is invalid; going on with the stored tokens, which expire at DATE\n',
    ),
  })
  expect(await desk.run({ client: clients[1]!, argv, ...refresh })).toEqual(printed(token))
})

test('a token that the provider has ended is not printed where the gateway refused it', async () => {
  const { clients, desk, argv } = await startEnded()
  await desk.run({ client: clients[0]!, argv, ...refresh })
  const last = startClientProcess()
  const patient = [...desk.site, '--refresh-token-store', 'file']
  await desk.run({ client: last, argv: patient })
  expect(await desk.runInWords({ client: last, argv: patient, ...refresh })).toEqual(
    refused('--refresh-token-store', 'file'),
  )
  expect(await desk.runInWords({ client: clients[2]!, argv, ...refresh })).toEqual(
    refused('--client-ttl', '2', '--refresh-token-store', 'file'),
  )
})

test.each(['none', 'disk'])('a refusal is found out in the same way with the cache %s', async (cache) => {
  const client = startClientProcess()
  const { desk, argv } = await startSignedIn(client, ({ site }) => [...site, '--cache', cache])
  expect(await desk.runInWords({ client, argv, ...refresh })).toEqual(refused('--cache', cache))
  expect(await desk.runInWords({ argv, context: 'background' })).toEqual(refused('--cache', cache))
})

test('without the note of hand-outs, or where none can be written, a refresh counts as an expiry', async () => {
  const client = startClientProcess()
  const { desk, token } = await startSignedIn(client)
  const cache = join(desk.home, '.cache/gatepass')
  const removeNotes = async () => {
    for (const name of await readdir(cache)) if (name.endsWith('.served')) await rm(join(cache, name), { force: true })
  }
  await removeNotes()
  expect(await desk.run({ client, ...refresh })).toEqual(printed(token))
  const [note = ''] = (await readdir(cache)).filter((name) => name.endsWith('.served'))
  await removeNotes()
  await mkdir(join(cache, note))
  const other = startClientProcess()
  for (const context of ['interactive', 'mid-session-refresh'] as const)
    expect(await desk.run({ client: other, context })).toEqual(printed(token))
})
