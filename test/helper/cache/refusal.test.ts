import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ClientContext } from '../../../src/contract/context.ts'
import { toContextVariables } from '../../../src/contract/detect-context.ts'
import { type RefreshCause, refreshCauseVariable } from '../../../src/contract/refresh.ts'
import { type AnyHelper, defineHelper, type Refresh } from '../../../src/helper/define-helper.ts'
import { runHelper } from '../../../src/helper/run/run-helper.ts'
import { digestToken } from '../../../src/runtime/digest.ts'
import { HelperError } from '../../../src/runtime/failure.ts'
import { Secret } from '../../../src/runtime/secret.ts'
import { testHost, testNow } from '../../setup/test-host.ts'

const away = new HelperError('unavailable', 'the source cannot be reached', 'check the network')

interface DeskRun {
  readonly context?: ClientContext
  readonly argv?: readonly string[]
  /** The client's hint about a refresh. */
  readonly cause?: RefreshCause
  /** Seconds since the first run. */
  readonly at?: number
}

/** Runs of one helper whose tokens are numbered and live for a day, all by the same process of a client. */
async function startDesk({ keepsSignIn = true, ...more }: Partial<AnyHelper> & { keepsSignIn?: boolean } = {}) {
  const { home } = await testHost()
  const desk = { home, isAway: false, mints: 0, told: [] as Refresh[], run, list, readLog }
  const badge = defineHelper({
    summary: 'print a badge',
    options: { number: { value: 'text', default: '1', summary: 'which one' } },
    facts: [],
    plan: async () => ({ inputs: {}, steps: [] }),
    async mint({ clock }) {
      if (desk.isAway) throw away
      desk.mints += 1
      return { token: new Secret(`badge-${desk.mints}`), expiresAt: new Date(clock.now() + 86_400_000), facts: {} }
    },
    ...(keepsSignIn && { noteRefusal: async (_host, _options, _call, _plan, refresh) => void desk.told.push(refresh) }),
    ...more,
  })
  async function run({ context, argv = [], cause, at = 0 }: DeskRun = {}) {
    const now = testNow + at * 1000
    const clock = { now: () => now, startedAt: now, elapsedMs: () => 0, bootedAt: testNow - 86_400_000 }
    const env = { ...(context && toContextVariables(context)), ...(cause && { [refreshCauseVariable]: cause }) }
    const host = await testHost({ home, argv, clock, env })
    const { status } = await runHelper('badge', badge as AnyHelper, host)
    const token = /badge-\d+/.exec(host.written.stdout)?.[0]
    return { status, token, stdout: host.written.stdout, stderr: host.written.stderr }
  }
  async function list(ending: string) {
    const names = await readdir(join(home, '.cache', 'gatepass'))
    return names.filter((name) => name.endsWith(ending))
  }
  async function readLog(path: string) {
    return (await readFile(path, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  }
  return desk
}

const refresh = { context: 'mid-session-refresh' } as const

/** Returns a run that prints this token, and says nothing. */
const served = (token: string) => ({ status: 0, token, stdout: `{"token":"${token}"}\n`, stderr: '' })

/** A run that gets no token, because the source is away. */
const unreachable = {
  status: 6,
  token: undefined,
  stdout: '',
  stderr: 'badge: the source cannot be reached\nbadge: hint: check the network\n',
}

test('a refused token is served to nobody again, even while its source is away', async () => {
  const desk = await startDesk()
  const first = await desk.run({ context: 'interactive' })
  desk.isAway = true
  const later = [await desk.run({ ...refresh, at: 60 }), await desk.run({ context: 'interactive', at: 61 })]
  expect({ first, later, kept: await desk.list('.json') }).toEqual({
    first: served('badge-1'),
    later: [unreachable, unreachable],
    kept: [],
  })
})

test('a refused token is not in the cache while another one is minted', async () => {
  const kept: string[][] = []
  const desk = await startDesk({
    keepsSignIn: false,
    async mint({ clock }) {
      kept.push(await desk.list('.json').catch(() => []))
      return { token: new Secret(`badge-${kept.length}`), expiresAt: new Date(clock.now() + 86_400_000), facts: {} }
    },
  })
  const outcomes = [await desk.run({ context: 'interactive' }), await desk.run({ ...refresh, at: 60 })]
  expect({ outcomes, kept }).toEqual({ outcomes: [served('badge-1'), served('badge-2')], kept: [[], []] })
})

test('a token whose ttl has passed is served to others while its source is away', async () => {
  const desk = await startDesk()
  await desk.run({ context: 'interactive' })
  desk.isAway = true
  expect(await desk.run({ ...refresh, at: 3_240 })).toEqual(unreachable)
  expect(await desk.run({ context: 'interactive', at: 3_241 })).toEqual(served('badge-1'))
})

test('entries of other options that hold the refused token are removed with it', async () => {
  const desk = await startDesk({
    mint: async (_host, { number }) => ({
      token: new Secret(`badge-${number === '3' ? 3 : 1}`),
      expiresAt: new Date(testNow + 86_400_000),
      facts: {},
    }),
  } as Partial<AnyHelper>)
  await desk.run({ context: 'background', argv: ['--number', '3'] })
  await desk.run({ context: 'background', argv: ['--number', '1'] })
  const kept = await desk.list('.json')
  await desk.run({ context: 'background', argv: ['--number', '2'] })
  const refreshed = await desk.run({ ...refresh, argv: ['--number', '1'], at: 60 })
  expect({ refreshed, kept: await desk.list('.json') }).toEqual({ refreshed: served('badge-1'), kept })
})

test('a helper is told once of a refusal and of the refused tokens', async () => {
  const desk = await startDesk()
  await desk.run({ context: 'interactive' })
  const refreshes = [await desk.run({ ...refresh, at: 60 }), await desk.run({ ...refresh, at: 65 })]
  expect({ refreshes, told: desk.told }).toEqual({
    refreshes: [served('badge-2'), served('badge-2')],
    told: [
      {
        cause: 'refused',
        isRepeated: false,
        heldSince: testNow,
        refused: new Set([digestToken(new Secret('badge-1'))]),
      },
    ],
  })
})

test('a token without a known end leaves no digest', async () => {
  const desk = await startDesk({
    mint: async () => ({ token: new Secret('badge-0'), expiresAt: undefined, facts: {} }),
  } as Partial<AnyHelper>)
  await desk.run({ context: 'interactive' })
  const refreshed = await desk.run({ ...refresh, at: 60 })
  const [note = ''] = await desk.list('.served')
  const text = await readFile(join(desk.home, '.cache', 'gatepass', note), 'utf8')
  expect({ refreshed, told: desk.told.map(({ refused }) => refused), note: text.replaceAll(/\d+/g, 'N') }).toEqual({
    refreshed: served('badge-0'),
    told: [new Set([undefined])],
    note: '\ngiven N N N -\nrefused N N N -',
  })
})

test('a client that names no context leaves no note, and an explanation does not either', async () => {
  const desk = await startDesk()
  await desk.run()
  await desk.run({ context: 'interactive', argv: ['--explain'] })
  expect(await desk.list('.served')).toEqual([])
})

test('an explanation says what the refresh is for, and refuses nothing', async () => {
  const desk = await startDesk()
  const explain = async (at: number) => (await desk.run({ ...refresh, argv: ['--explain'], at })).stdout.split('\n')[2]
  const first = await explain(0)
  await desk.run({ context: 'interactive' })
  const explained = [first, await explain(60), await explain(4_000)]
  expect({ told: desk.told, entries: (await desk.list('.json')).length }).toEqual({ told: [], entries: 1 })
  await desk.run({ ...refresh, at: 4_000 })
  explained.push(await explain(4_001))
  const client = `the process that runs this (${process.ppid})`
  expect(explained).toEqual([
    `  expired: ${client} has not been handed a token, as far as is known`,
    `  refused: ${client} was handed a token 60 s ago, and client-ttl is 3600 s`,
    `  expired: ${client} was handed a token 4000 s ago, and client-ttl is 3600 s`,
    `  expired: ${client} has asked for the same refresh a moment ago`,
  ])
})

test('a client may say that its ttl has passed, or that its token was refused', async () => {
  const desk = await startDesk()
  await desk.run({ context: 'interactive' })
  desk.isAway = true
  const expired = await desk.run({ ...refresh, cause: 'expired', at: 60 })
  expect([expired, await desk.run({ context: 'interactive', at: 61 })]).toEqual([unreachable, served('badge-1')])
  const refused = await desk.run({ ...refresh, cause: 'refused', at: 9_000 })
  expect([refused, await desk.run({ context: 'interactive', at: 9_001 })]).toEqual([unreachable, unreachable])
})

test('an explanation names the variable with which a client says that its token was refused', async () => {
  const desk = await startDesk()
  await desk.run({ context: 'interactive' })
  desk.isAway = true
  await desk.run({ ...refresh, cause: 'refused', at: 9_000 })
  const explain = (at: number) => desk.run({ ...refresh, cause: 'refused', argv: ['--explain'], at })
  const { status } = await explain(9_002)
  desk.isAway = false
  const { stdout } = await explain(9_003)
  expect({ status, line: stdout.split('\n')[2] }).toEqual({
    status: 6,
    line: '  refused: GATEPASS_REFRESH_CAUSE says so',
  })
})

test('the token that was handed out last is the refused one where the process was handed nothing', async () => {
  const desk = await startDesk()
  await desk.run({ context: 'interactive' })
  const [note = ''] = await desk.list('.served')
  const path = join(desk.home, '.cache', 'gatepass', note)
  await writeFile(path, (await readFile(path, 'utf8')).replace(` ${process.ppid} `, ' 1 '))
  desk.isAway = true
  expect({
    refreshed: await desk.run({ ...refresh, cause: 'refused', at: 60 }),
    kept: await desk.list('.json'),
    told: desk.told.map(({ refused, heldSince }) => ({ size: refused.size, heldSince })),
  }).toEqual({ refreshed: unreachable, kept: [], told: [{ size: 1, heldSince: testNow }] })
})

test('log and outcomes tell a refusal from an expiry', async () => {
  const desk = await startDesk()
  const log = join(desk.home, 'log')
  const argv = ['--log-file', log, '--outcome-log', 'system']
  await desk.run({ context: 'interactive', argv })
  await desk.run({ ...refresh, argv, at: 60 })
  await desk.run({ ...refresh, argv, at: 4_000 })
  const causes = [undefined, 'refused', 'expired']
  expect((await desk.readLog(log)).map((line) => line.refresh)).toEqual(causes)
  const spooled = await desk.readLog(join(desk.home, '.cache/gatepass/outcomes.spool'))
  expect(spooled.map((line) => line.refresh)).toEqual(causes)
})

test('a client that asks again only after a refusal gets a new token', async () => {
  const desk = await startDesk()
  const argv = ['--format', 'token', '--suspect-repetition']
  const tokenAt = async (at: number) => (await desk.run({ argv, at })).token
  expect([
    await tokenAt(0),
    await tokenAt(9),
    await tokenAt(3_000),
    await tokenAt(3_005),
    await tokenAt(3_100),
  ]).toEqual(['badge-1', 'badge-1', 'badge-2', 'badge-2', 'badge-3'])
})

test('a second call without the option is served from the cache', async () => {
  const desk = await startDesk()
  const tokens = []
  for (const at of [0, 60, 61]) tokens.push((await desk.run({ argv: ['--format', 'token'], at })).token)
  expect({ tokens, notes: await desk.list('.served') }).toEqual({ tokens: Array(3).fill('badge-1'), notes: [] })
})

test('a helper is told of each of two refusals that are more than moments apart', async () => {
  const desk = await startDesk()
  await desk.run({ context: 'interactive' })
  const refreshes = [await desk.run({ ...refresh, at: 60 }), await desk.run({ ...refresh, at: 80 })]
  expect({ refreshes, causes: desk.told.map(({ cause }) => cause) }).toEqual({
    refreshes: [served('badge-2'), served('badge-3')],
    causes: ['refused', 'refused'],
  })
})

test('a client that asks three times within ten seconds gets a new token, once a minute', async () => {
  const desk = await startDesk()
  const argv = ['--format', 'token', '--suspect-after', '3']
  const tokenAt = async (at: number) => (await desk.run({ argv, at })).token
  const tokens: Record<number, string | undefined> = {}
  for (const at of [0, 100, 106, 112, 118, 119, 120, 121, 122, 123, 124, 150, 179, 180, 181, 182])
    tokens[at] = await tokenAt(at)
  expect({ tokens, mints: desk.mints }).toEqual({
    tokens: {
      // A request every few seconds, which is the rhythm of a person's work.
      0: 'badge-1',
      100: 'badge-1',
      106: 'badge-1',
      112: 'badge-1',
      118: 'badge-1',
      // The answer was 401, twice.
      119: 'badge-2',
      120: 'badge-2',
      121: 'badge-2',
      122: 'badge-2',
      123: 'badge-2',
      124: 'badge-2',
      150: 'badge-2',
      179: 'badge-2',
      180: 'badge-2',
      181: 'badge-3',
      182: 'badge-3',
    },
    mints: 3,
  })
})

test('a token that only seems to be refused is served where no new one can be had', async () => {
  let attempts = 0
  const desk = await startDesk({
    async mint({ clock }) {
      attempts += 1
      if (attempts > 1) throw new HelperError('sign-in-required', 'the sign-in has ended', 'sign in')
      return { token: new Secret('badge-1'), expiresAt: new Date(clock.now() + 86_400_000), facts: {} }
    },
  })
  const argv = ['--format', 'token', '--suspect-after', '2']
  const runAt = async (at: number) => {
    const { status, token, stderr } = await desk.run({ argv, at })
    return [status, token, stderr.startsWith('badge: warning: the sign-in has ended; serving the last token')]
  }
  const [served, warned] = [
    [0, 'badge-1', false],
    [0, 'badge-1', true],
  ]
  const outcomes = [await runAt(0), await runAt(100), await runAt(101), await runAt(102), await runAt(103)]
  const attemptsBefore = attempts
  outcomes.push(await runAt(162), await runAt(163))
  expect({ outcomes, attemptsBefore, attempts }).toEqual({
    outcomes: [served, served, warned, served, served, served, warned],
    attemptsBefore: 2,
    attempts: 3,
  })
})

test('a client that names a context says why it asks, so that its rhythm says nothing', async () => {
  const desk = await startDesk()
  const argv = ['--suspect-repetition', '--suspect-after', '2']
  const tokens = []
  for (const at of [0, 60, 61, 62]) tokens.push((await desk.run({ context: 'interactive', argv, at })).token)
  expect(tokens).toEqual(Array(4).fill('badge-1'))
})
