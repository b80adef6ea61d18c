import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { HelperContext } from '../../../src/contract/context.ts'
import { toCacheFilePath } from '../../../src/helper/cache/cache-files.ts'
import { readEntry } from '../../../src/helper/cache/entry.ts'
import type { MintedToken } from '../../../src/helper/define-helper.ts'
import { serveToken } from '../../../src/helper/run/cached-or-minted.ts'
import { Deadline } from '../../../src/runtime/deadline.ts'
import { HelperError } from '../../../src/runtime/failure.ts'
import { locateCacheDirectory } from '../../../src/runtime/files/private-files.ts'
import { Secret } from '../../../src/runtime/secret.ts'
import { testHost, testNow } from '../../setup/test-host.ts'

const hour = 3600
const outage = new HelperError('unavailable', 'AWS cannot be reached', 'check the network')
const refusal = new HelperError('refused', 'AWS refused', 'ask for access')

/** The content of the watched files, and its change in the middle of a mint. */
interface MadeUpFiles {
  content: string
  /** A text that stands for the state of the files. If it is as before, the content is not read. */
  state?: string
  /** Milliseconds since the epoch; long ago by default. */
  changedAt?: number
  whileMinting?: () => void
}

const lookAt = ({ content, state = content, changedAt = 0 }: MadeUpFiles) => ({
  state,
  changedAt,
  readContent: async () => content,
})

interface Run {
  /** Seconds since the first run of this test. */
  readonly at?: number
  readonly context?: HelperContext
  readonly cache?: 'disk' | 'none'
  readonly clientTtlSec?: number
  readonly key?: string
  /** Seconds since the first run. */
  readonly notBefore?: number
  readonly files?: MadeUpFiles
  readonly mint: MintedToken | Error
}

/** Starts one helper on one machine, run once after another, each run a process of its own; the source says what a run says. */
async function startDesk() {
  const host = await testHost()
  const run = async ({
    at = 0,
    context = 'interactive',
    cache = 'disk',
    clientTtlSec = hour,
    key = 'k',
    notBefore,
    files,
    mint,
  }: Run) => {
    const warnings: string[] = []
    let mints = 0
    const now = testNow + at * 1000
    const clock = { now: () => now, startedAt: now - 30, elapsedMs: () => 30 }
    const deadline = new Deadline({ seconds: 58, hint: '' }, clock)
    const call = { program: 'tool', context, deadline, warn: (message: string) => warnings.push(message) }
    const ask = async () => {
      mints += 1
      if (mint instanceof Error) throw mint
      files?.whileMinting?.()
      return mint
    }
    const voidBefore = notBefore === undefined ? undefined : testNow + notBefore * 1000
    const caller = { argv: [], env: {}, variables: [] }
    const request = {
      caller,
      program: 'tool',
      key,
      cache,
      clientTtlSec,
      renewEarly: 0,
      notBefore: voidBefore,
      watched: files && { paths: [], found: lookAt(files), look: async () => lookAt(files) },
      uses: ['a drawer'],
      mint: ask,
      noteRefresh: () => {},
      noteUnrenewed: () => {},
    }
    const outcome = await serveToken({ ...host, clock }, call, request).then(
      ({ token, expiresAt, minted: _, ...rest }) => ({ token: token.reveal(), lives: lifeAt(now, expiresAt), ...rest }),
      (error: unknown) => ({ error }),
    )
    return { ...outcome, mints, warnings }
  }
  return { host, run }
}

/** Returns a token that lives until `endsAt` seconds after the first run. */
function minted(token: string, endsAt: number | undefined): MintedToken {
  const expiresAt = endsAt === undefined ? undefined : new Date(testNow + endsAt * 1000)
  return { token: new Secret(token), expiresAt, facts: { account: token } }
}

const lifeAt = (now: number, expiresAt: Date | undefined) => expiresAt && (expiresAt.getTime() - now) / 1000
const fresh = (token: string, lives: number | undefined, warnings: string[] = []) => ({
  token,
  lives,
  facts: { account: token },
  origin: 'mint',
  mints: 1,
  warnings,
})
/** Returns a minted token, with the watched files before and after the mint. */
const watched = (outcome: ReturnType<typeof fresh>, before: string, after = before) => ({
  ...outcome,
  watched: {
    before: { content: before, isRewritten: false, state: before },
    after: { content: after, isRewritten: false, state: after },
  },
})
const cached = (token: string, lives: number) => ({ ...fresh(token, lives), origin: 'cache', mints: 0 })

test('the first run mints, and a later one is served the same token with its facts', async () => {
  const { run } = await startDesk()
  expect(await run({ mint: minted('a', 3 * hour) })).toEqual(fresh('a', 3 * hour))
  expect(await run({ at: hour, mint: minted('b', 9 * hour) })).toEqual(cached('a', 2 * hour))
})

test('a token that the client would outlive is minted anew', async () => {
  const { run } = await startDesk()
  await run({ mint: minted('a', 2 * hour) })
  expect([
    await run({ at: hour - 60, mint: minted('b', 3 * hour) }),
    await run({ at: hour - 59, mint: minted('b', 3 * hour) }),
    await run({ at: hour, mint: minted('c', 9 * hour) }),
  ]).toEqual([cached('a', hour + 60), fresh('b', 2 * hour + 59), cached('b', 2 * hour)])
})

test('a short-lived token is shared by the runs of one moment', async () => {
  const { run } = await startDesk()
  await run({ mint: minted('a', hour) })
  expect(await run({ at: 10, mint: minted('b', hour) })).toEqual(cached('a', hour - 10))
  expect(await run({ at: 11, mint: minted('b', hour + 11) })).toEqual(fresh('b', hour))
})

test('a refresh is served a token of the same refresh, but not the cached one', async () => {
  const { run } = await startDesk()
  await run({ mint: minted('refused', 9 * hour) })
  const context = 'mid-session-refresh'
  expect([
    await run({ at: 5, context, mint: minted('new', 9 * hour) }),
    await run({ at: 15, context, mint: minted('b', 9 * hour) }),
    await run({ at: 16, context, mint: minted('c', 9 * hour) }),
  ]).toEqual([fresh('new', 9 * hour - 5), cached('new', 9 * hour - 15), fresh('c', 9 * hour - 16)])
})

test('other inputs never share a token', async () => {
  const { run } = await startDesk()
  await run({ mint: minted('a', 9 * hour) })
  expect(await run({ key: 'other', mint: minted('b', 9 * hour) })).toEqual(fresh('b', 9 * hour))
})

test('while the source cannot be reached, the last token is served until it expires, with one warning', async () => {
  const { run } = await startDesk()
  await run({ mint: minted('a', hour) })
  expect(await run({ at: hour - 1, mint: outage })).toEqual({
    token: 'a',
    lives: 1,
    facts: { account: 'a' },
    origin: 'kept',
    mints: 1,
    warnings: ['AWS cannot be reached; serving the last token, which is good until 2026-01-15T13:00:00.000Z'],
  })
  expect(await run({ at: hour, mint: outage })).toEqual({ error: outage, mints: 1, warnings: [] })
})

test('after such a token the next run asks the source again', async () => {
  const { run } = await startDesk()
  await run({ mint: minted('a', hour) })
  await run({ at: 600, mint: outage })
  expect(await run({ at: 601, mint: minted('b', 2 * hour) })).toEqual(fresh('b', 2 * hour - 601))
})

test('in a refresh, a source that cannot be reached fails the call, because the last token was refused', async () => {
  const { run } = await startDesk()
  await run({ mint: minted('a', 9 * hour) })
  expect(await run({ at: 60, context: 'mid-session-refresh', mint: outage })).toEqual({
    error: outage,
    mints: 1,
    warnings: [],
  })
})

test.each<[what: string, error: Error]>([
  ['a refusal', refusal],
  ['an ended sign-in', new HelperError('sign-in-required', 'm', 'h')],
  ['a broken configuration', new HelperError('not-configured', 'm', 'h')],
  ['a defect', new TypeError('x')],
])('%s is never hidden by a cached token', async (_, error) => {
  const { run } = await startDesk()
  await run({ mint: minted('a', hour) })
  expect(await run({ at: 60, mint: error })).toEqual({ error, mints: 1, warnings: [] })
})

test('an unreachable source with nothing kept fails the call', async () => {
  const { run } = await startDesk()
  expect(await run({ mint: outage })).toEqual({ error: outage, mints: 1, warnings: [] })
})

test('without a cache every run mints, and nothing is kept', async () => {
  const { run, host } = await startDesk()
  await run({ cache: 'none', mint: minted('a', 9 * hour) })
  expect({
    outcome: await run({ cache: 'none', mint: minted('b', 9 * hour) }),
    files: await readdir(host.home),
  }).toEqual({ outcome: fresh('b', 9 * hour), files: ['machine'] })
})

test('a token with no known end is never written to disk', async () => {
  const { run, host } = await startDesk()
  const runs = [await run({ mint: minted('a', undefined) }), await run({ mint: minted('b', undefined) })]
  expect({ runs, files: await readdir(locateCacheDirectory(host)) }).toEqual({
    runs: [fresh('a', undefined), fresh('b', undefined)],
    files: ['tool-k.lock'],
  })
})

const short = (lives: number, ttl: number, set: number) =>
  `the token lives ${lives} s, but the client keeps it for ${ttl} s: set ttlSec in the client's document, and client-ttl here, to ${set}`
const tooShort = (lives: number, ttl: number, way = 'have its source issue tokens that live longer than') =>
  `the token lives ${lives} s, but the client keeps it for ${ttl} s: ${way} 180 s, because under a ttlSec of 120 or less a client does not ask before each turn`

test('the warning of a life that an option cut short names that option', async () => {
  const { run } = await startDesk()
  const warnings = [tooShort(90, hour, 'raise lifetime above')]
  expect(await run({ mint: { ...minted('a', 90), shortenedBy: 'lifetime' } })).toEqual({
    ...fresh('a', 90, warnings),
    shortenedBy: 'lifetime',
  })
})

test('the warning of a life that no ttl makes longer has its own hint', async () => {
  const { run } = await startDesk()
  const remedy = 'keep what renews it'
  const warnings = [`the token lives 900 s, but the client keeps it for 3600 s: ${remedy}`]
  expect(await run({ mint: { ...minted('a', 900), remedy } })).toEqual({ ...fresh('a', 900, warnings), remedy })
})

test.each<[lives: number, clientTtlSec: number, warnings: string[]]>([
  [hour + 60, hour, []],
  [hour, hour, []],
  [hour - 60, hour, []],
  [hour - 61, hour, [short(3539, 3600, 3479)]],
  [900, hour, [short(900, 3600, 840)]],
  [181, hour, [short(181, 3600, 121)]],
  [180, hour, [tooShort(180, 3600)]],
  [30, hour, [tooShort(30, 3600)]],
  [30, 100, [tooShort(30, 100)]],
  [300, 300, []],
])(
  'a token of %s s for a client that keeps it %s s is printed with the warnings %j',
  async (lives, clientTtlSec, warnings) => {
    const { run } = await startDesk()
    expect(await run({ clientTtlSec, mint: minted('a', lives) })).toEqual(fresh('a', lives, warnings))
  },
)

test('a cache that cannot be used costs one warning, never the credential', async () => {
  const { run, host } = await startDesk()
  await writeFile(join(host.home, '.cache'), 'a file')
  const path = locateCacheDirectory(host)
  expect(await run({ mint: minted('a', 9 * hour) })).toEqual(
    fresh('a', 9 * hour, [`cannot use the token cache: ENOTDIR at ${path}`]),
  )
})

test('an entry that others can write is not served, and is replaced by one that they cannot', async () => {
  const { run, host } = await startDesk()
  await run({ mint: minted('a', 9 * hour) })
  const place = { directory: locateCacheDirectory(host), program: 'tool', key: 'k' }
  const path = toCacheFilePath(place, 'entry')
  await chmod(path, 0o666)
  expect(await run({ mint: minted('b', 9 * hour) })).toEqual(
    fresh('b', 9 * hour, [
      `cannot use the token cache: ${path} can be written by other users (run: chmod go-w '${path}')`,
    ]),
  )
  expect((await readEntry(place))?.token.reveal()).toBe('b')
})

test('a truncated entry costs a mint and one warning, and is replaced', async () => {
  const { run, host } = await startDesk()
  const directory = locateCacheDirectory(host)
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const path = toCacheFilePath({ directory, program: 'tool', key: 'k' }, 'entry')
  await writeFile(path, '{"format":1,"tok', { mode: 0o600 })
  const warning = `cannot use the token cache: ${path} is not an entry of this version and key; it is replaced by the next token`
  expect(await run({ mint: minted('a', 9 * hour) })).toEqual(fresh('a', 9 * hour, [warning]))
  expect(await run({ mint: minted('b', 9 * hour) })).toEqual(cached('a', 9 * hour))
})

test('a date voids earlier entries, and none after it', async () => {
  const { run } = await startDesk()
  await run({ mint: minted('a', 9 * hour) })
  expect(await run({ at: 60, notBefore: 1, mint: minted('b', 9 * hour) })).toEqual(fresh('b', 9 * hour - 60))
  expect(await run({ at: 90, notBefore: 1, mint: minted('c', 9 * hour) })).toEqual(cached('b', 9 * hour - 90))
})

test('a voided token is not served during an outage', async () => {
  const { run } = await startDesk()
  await run({ mint: minted('a', hour) })
  expect(await run({ at: 60, notBefore: 1, mint: outage })).toEqual({ error: outage, mints: 1, warnings: [] })
})

test('a date in the future voids everything, and says so in every run', async () => {
  const { run } = await startDesk()
  const warnings = [
    'not-before lies in the future (2026-01-15T13:00:00.000Z): until then every call gets a new token; correct it, or the clock',
  ]
  expect(await run({ notBefore: hour, mint: minted('a', 9 * hour) })).toEqual(fresh('a', 9 * hour, warnings))
  expect(await run({ at: 60, notBefore: hour, mint: minted('b', 9 * hour) })).toEqual(
    fresh('b', 9 * hour - 60, warnings),
  )
})

describe('a change of watched files', () => {
  test('voids the entry, whose token is not served in an outage either', async () => {
    const { run } = await startDesk()
    const files: MadeUpFiles = { content: 'dana' }
    await run({ files, mint: minted('of-dana', 9 * hour) })
    expect(await run({ files, mint: minted('b', 9 * hour) })).toEqual(cached('of-dana', 9 * hour))
    files.content = 'robin'
    const away = new HelperError('unavailable', 'the source is away', 'wait')
    expect([
      await run({ files, mint: away }),
      await run({ at: 1, files, mint: minted('of-robin', 9 * hour) }),
      await run({ at: 1, files, mint: minted('c', 9 * hour) }),
    ]).toEqual([
      { mints: 1, error: away, warnings: [] },
      watched(fresh('of-robin', 9 * hour - 1), 'robin'),
      cached('of-robin', 9 * hour - 1),
    ])
  })

  test('of their times alone voids nothing', async () => {
    const { run } = await startDesk()
    const files: MadeUpFiles = { content: 'dana', state: 'one' }
    await run({ files, mint: minted('of-dana', 9 * hour) })
    files.state = 'two'
    const touched = await run({ files, mint: minted('b', 9 * hour) })
    Object.assign(files, { state: 'one', content: 'what nobody has read' })
    expect([touched, await run({ files, mint: minted('b', 9 * hour) })]).toEqual(
      Array(2).fill(cached('of-dana', 9 * hour)),
    )
  })

  const another = { content: 'another', isRewritten: false }
  test.each([
    [
      'less than two seconds before the mint voids',
      1999,
      { ...fresh('b', 9 * hour), watched: { before: another, after: another } },
    ],
    ['two seconds before the mint does not void', 2000, cached('a', 9 * hour)],
  ])('that came %s an entry whose files have the same times', async (_, ago, outcome) => {
    const { run } = await startDesk()
    const files: MadeUpFiles = { content: 'dana', state: 'one', changedAt: testNow - ago }
    await run({ files, mint: minted('a', 9 * hour) })
    files.content = 'another'
    expect(await run({ files, mint: minted('b', 9 * hour) })).toEqual(outcome)
  })

  test('during a mint, which may have been for either account, is not trusted', async () => {
    const { run } = await startDesk()
    const files: MadeUpFiles = { content: 'dana' }
    const choose = () => {
      files.content = 'robin'
    }
    await run({ files: Object.assign(files, { whileMinting: choose }), mint: minted('of-dana', 9 * hour) })
    files.whileMinting = () => {}
    const runs = [
      await run({ files, mint: minted('of-robin', 9 * hour) }),
      await run({ files, mint: minted('c', 9 * hour) }),
    ]
    files.content = 'dana'
    expect([...runs, await run({ files, mint: minted('d', 9 * hour) })]).toEqual([
      watched(fresh('of-robin', 9 * hour), 'robin'),
      cached('of-robin', 9 * hour),
      watched(fresh('d', 9 * hour), 'dana'),
    ])
  })

  test('by the program itself in each of its runs costs one more mint', async () => {
    const { run } = await startDesk()
    let runs = 0
    const files: MadeUpFiles = {
      content: 'run 0',
      whileMinting: () => {
        runs += 1
        files.content = `run ${runs}`
      },
    }
    const runWith = async (token: string) => (await run({ files, mint: minted(token, 9 * hour) })) as object
    const outcomes = [await runWith('a'), await runWith('b'), await runWith('c'), await runWith('d')]
    files.content = 'somebody else'
    outcomes.push(await runWith('e'), await runWith('f'))
    expect(outcomes).toEqual([
      watched(fresh('a', 9 * hour), 'run 0', 'run 1'),
      watched(fresh('b', 9 * hour), 'run 1', 'run 2'),
      cached('b', 9 * hour),
      cached('b', 9 * hour),
      watched(fresh('e', 9 * hour), 'somebody else', 'run 3'),
      cached('e', 9 * hour),
    ])
  })
})
