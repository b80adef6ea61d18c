import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { HelperContext } from '../../../../src/contract/context.ts'
import type { NetworkCall } from '../../../../src/helper/define-helper.ts'
import { HelperError } from '../../../../src/runtime/failure.ts'
import type { Host } from '../../../../src/runtime/host.ts'
import { BusyProviderError, ChallengeError, NoIdTokenError } from '../../../../src/sources/oauth/oidc/renewal-errors.ts'
import { createMemoryStore } from '../../../../src/sources/oauth/store/memory-store.ts'
import { renewAtProvider, renewForRuns } from '../../../../src/sources/oauth/store/renew-sign-in.ts'
import type { SignInStore, StoredSignIn } from '../../../../src/sources/oauth/store/sign-in-store.ts'
import { toIssueTime } from '../../../../src/sources/oauth/store/stored-tokens.ts'
import { testHost, testNow } from '../../../setup/test-host.ts'
import { plainSettings, startProviderParts } from '../oidc/oidc-bench.ts'
import { away, createProvider, invalidGrant, toTokens } from './made-up-provider.ts'
import { deadline, failureOf, keep, startStore, toPlain } from './made-up-sign-in.ts'
import { settings, toSignIn } from './plain-sign-in.ts'

const hour = 3_600_000

interface Run {
  /** Milliseconds after the sign-in. */
  readonly at: number
  readonly context?: HelperContext
  /** See `Call`. */
  readonly renews?: number
  readonly provider: ReturnType<typeof createProvider>
  readonly isEnough?: (signIn: StoredSignIn) => boolean
}

/** Returns the token that a run gets of a store, its messages, and the content of the store afterwards. */
async function run(store: SignInStore, { at, context = 'interactive', renews, provider, isEnough = () => false }: Run) {
  const warnings: string[] = []
  const now = testNow + at
  const warn = (message: string) => void warnings.push(message)
  const call = { context, deadline, renews, warn } as unknown as NetworkCall // no more of it is used
  const host = { clock: { now: () => now, startedAt: now, elapsedMs: () => 0 }, home: '/home/alice' }
  const isNew = (signIn: StoredSignIn) => (signIn.renewedAt ?? 0) >= now || isEnough(signIn)
  const work = renewAtProvider({ settings, open: provider.open }, store, { host, call, isEnough: isNew })
  const [got] = await Promise.allSettled([work])
  return {
    got: got.status === 'fulfilled' ? tokensOf(got.value) : await failureOf(work),
    left: tokensOf(await store.read(deadline)),
    asked: provider.asked,
    warnings,
  }
}

const tokensOf = (signIn: StoredSignIn | undefined) => toPlain(signIn)?.tokens.secrets.join(' ')

/** Starts a store with a sign-in whose tokens live an hour. */
async function startWith(signIn: StoredSignIn | undefined = toSignIn(1)) {
  const store = createMemoryStore()
  if (signIn) await keep(store, signIn)
  return store
}

const withoutRefreshToken = (): StoredSignIn => ({ ...toSignIn(1), tokens: toTokens(1, 'kept') })
const first = 'id-1 access-1 refresh-1'
const second = 'id-2 access-2 refresh-2'
const third = 'id-3 access-3 refresh-3'
const rest = 'id-1 access-1 '
const challenged = new ChallengeError(new HelperError('sign-in-required', 'login.example needs it anew', 'sign in'), {
  maxAge: 5,
})
const busy = new BusyProviderError('unavailable', 'login.example is busy', 'try again in a minute')
const faulty = new HelperError('refused', 'its ID token is faulty', 'ask')
const until = new Date(testNow + hour).toISOString()
const wayOut = 'start a new session, in which a person can sign in'
const nobody = ['sign-in-required', 'nobody is signed in to login.example', wayOut]
const expired = ['sign-in-required', `the sign-in to login.example expired at ${until}`, wayOut]
const stuck = ['sign-in-required', 'the sign-in to login.example cannot be renewed without a person', wayOut]
const ended = [invalidGrant.kind, invalidGrant.message, invalidGrant.hint]
const rotated = { 'refresh-1': [toTokens(2)] }

test.each<[what: string, signIn: StoredSignIn | undefined, run: Partial<Run>, answers: object, outcome: object]>([
  ['nobody is signed in', undefined, {}, {}, { got: nobody, left: undefined }],
  ['the tokens do as they are', toSignIn(1), { isEnough: () => true }, {}, { got: first, left: first }],
  ['they do not', toSignIn(1), {}, rotated, { got: second, left: second, asked: ['refresh-1'] }],
  [
    'the provider does not rotate refresh tokens',
    toSignIn(1),
    {},
    { 'refresh-1': [toTokens(2, 'kept')] },
    { got: 'id-2 access-2 refresh-1', left: 'id-2 access-2 refresh-1', asked: ['refresh-1'] },
  ],
  ['there is no refresh token, and the rest does', withoutRefreshToken(), {}, {}, { got: rest, left: rest }],
  ['the rest has ended', withoutRefreshToken(), { at: hour }, {}, { got: expired, left: rest }],
  [
    'the gateway may have refused the rest',
    withoutRefreshToken(),
    { context: 'mid-session-refresh' },
    {},
    { got: stuck, left: rest },
  ],
  [
    'the provider is away, and the rest does',
    toSignIn(1),
    {},
    { 'refresh-1': [away] },
    {
      got: first,
      left: first,
      asked: ['refresh-1', 'refresh-1'],
      warnings: [`login.example cannot be reached; going on with the stored tokens, which expire at ${until}`],
    },
  ],
  [
    'the provider is away, and the rest has ended',
    toSignIn(1),
    { at: hour },
    { 'refresh-1': [away] },
    { got: [away.kind, away.message, away.hint], left: first, asked: ['refresh-1', 'refresh-1'] },
  ],
  [
    'the provider says when to ask again, and is not asked before',
    toSignIn(1),
    {},
    { 'refresh-1': [busy, toTokens(2)] },
    {
      got: first,
      left: first,
      asked: ['refresh-1'],
      warnings: [`login.example is busy; going on with the stored tokens, which expire at ${until}`],
    },
  ],
  [
    'its answer is lost, and it takes the refresh token once more',
    toSignIn(1),
    {},
    { 'refresh-1': [away, toTokens(2)] },
    { got: second, left: second, asked: ['refresh-1', 'refresh-1'] },
  ],
  [
    'its answer is lost, and it does not take the refresh token once more',
    toSignIn(1),
    { at: hour },
    { 'refresh-1': [away, invalidGrant] },
    { got: ended, left: undefined, asked: ['refresh-1', 'refresh-1'] },
  ],
  [
    'the provider ended the sign-in, and the rest does',
    toSignIn(1),
    {},
    {},
    {
      got: first,
      left: rest,
      asked: ['refresh-1'],
      warnings: [`login.example ended the sign-in; going on with the stored tokens, which expire at ${until}`],
    },
  ],
  [
    'the provider leaves out what the gateway is to get, and the rest does',
    toSignIn(1),
    {},
    {
      'refresh-1': [new NoIdTokenError('sign-in-required', 'login.example renewed it without an ID token', 'sign in')],
    },
    {
      got: first,
      left: rest,
      asked: ['refresh-1'],
      warnings: [
        `login.example renewed it without an ID token; going on with the stored tokens, which expire at ${until}`,
      ],
    },
  ],
  [
    'the provider needs the person, and the rest does',
    toSignIn(1),
    {},
    { 'refresh-1': [new HelperError('sign-in-required', 'login.example needs the person', 'sign in')] },
    {
      got: first,
      left: first,
      asked: ['refresh-1'],
      warnings: [`login.example needs the person; going on with the stored tokens, which expire at ${until}`],
    },
  ],
  [
    'the provider wants the person to sign in in another way, and the rest does all the same',
    toSignIn(1),
    {},
    { 'refresh-1': [challenged] },
    { got: [challenged.kind, challenged.message, challenged.hint], left: first, asked: ['refresh-1'] },
  ],
  [
    'an answer fails its checks, and the next one does not',
    toSignIn(1),
    { at: hour },
    { 'refresh-1': [{ faulty, successor: 'refresh-2' }], 'refresh-2': [toTokens(3)] },
    { got: third, left: third, asked: ['refresh-1', 'refresh-2'] },
  ],
  [
    'two answers fail their checks, the last refresh token stays, and nothing is printed',
    toSignIn(1),
    {},
    { 'refresh-1': [{ faulty, successor: 'refresh-2' }], 'refresh-2': [{ faulty, successor: 'refresh-3' }] },
    {
      got: ['refused', 'its ID token is faulty', 'ask'],
      left: 'id-1 access-1 refresh-3',
      asked: ['refresh-1', 'refresh-2'],
    },
  ],
  [
    'the keys cannot be had that verify an answer, and its refresh token is the next that is sent',
    toSignIn(1),
    { at: hour },
    { 'refresh-1': [{ faulty: away, successor: 'refresh-2' }], 'refresh-2': [toTokens(3)] },
    { got: third, left: third, asked: ['refresh-1', 'refresh-2'] },
  ],
  [
    'the provider ended the sign-in, and the rest has ended',
    toSignIn(1),
    { at: hour },
    {},
    { got: ended, left: undefined, asked: ['refresh-1'] },
  ],
  [
    'the provider ended it and the rest has ended, and what the rest was exchanged for is still served',
    toSignIn(1),
    { at: hour, renews: 1 },
    {},
    { got: ended, left: rest, asked: ['refresh-1'] },
  ],
  [
    'the provider ended the sign-in, and the gateway may have refused the rest',
    toSignIn(1),
    { context: 'mid-session-refresh' },
    {},
    { got: ended, left: rest, asked: ['refresh-1'] },
  ],
  [
    'a clock was ahead when it was stored, which says nothing of its tokens',
    toSignIn(1),
    { at: -hour, isEnough: () => true },
    rotated,
    { got: second, left: second, asked: ['refresh-1'] },
  ],
  [
    'a clock was ahead, and nothing renews it',
    withoutRefreshToken(),
    { at: -hour, isEnough: () => true },
    {},
    { got: stuck, left: rest },
  ],
])('a run renews only what it needs and can: %s', async (_, signIn, parts, answers, outcome) => {
  const provider = createProvider(answers as never)
  const result = await run(signIn ? await startWith(signIn) : createMemoryStore(), { at: 1_000, provider, ...parts })
  expect(result).toEqual({ asked: [], warnings: [], ...outcome })
})

test('runs at once make one renewal', async () => {
  const { store, host } = await startStore()
  await keep(store, toSignIn(1))
  const provider = createProvider(rotated)
  const another = () => startStore({ host })
  const stores = [store, ...(await Promise.all([another(), another(), another()])).map((each) => each.store)]
  const results = await Promise.all(stores.map((each) => run(each, { at: hour, provider })))
  expect(results.map(({ got }) => got)).toEqual([second, second, second, second])
  expect(provider.asked).toEqual(['refresh-1'])
})

test('two machines whose clocks differ share a sign-in in one home directory', async () => {
  const { store, host } = await startStore()
  const { store: other } = await startStore({ host })
  await keep(store, toSignIn(1))
  const provider = createProvider({
    'refresh-1': [toTokens(2)],
    'refresh-2': [toTokens(3)],
    'refresh-3': [toTokens(4)],
  })
  const isNew = { isEnough: ({ renewedAt = 0 }: StoredSignIn) => renewedAt > testNow }
  // The first machine is five minutes ahead of the second.
  const ahead = () => run(store, { at: 2 * hour + 300_000, provider })
  const behind = () => run(other, { at: 2 * hour, provider, ...isNew })
  const outcomes = [await ahead(), await behind(), await behind(), await ahead()]
  expect(outcomes.map(({ got }) => got)).toEqual([second, third, third, 'id-4 access-4 refresh-4'])
  expect(provider.asked).toEqual(['refresh-1', 'refresh-2', 'refresh-3'])
})

test('the sign-in that another process stored meanwhile is renewed instead of the refused one, once', async () => {
  const store = await startWith()
  const foreign = toSignIn(2)
  const answers = { 'refresh-2': [toTokens(3)] }
  // The store is changed by a process that takes no lock, while the provider refuses.
  const reads = [store.read, async () => foreign]
  const changing: SignInStore = { ...store, read: (deadline) => (reads.shift() ?? store.read)(deadline) }
  const provider = createProvider(answers)
  expect(await run(changing, { at: hour, provider })).toEqual({
    got: 'id-3 access-3 refresh-3',
    left: 'id-3 access-3 refresh-3',
    asked: ['refresh-1', 'refresh-2'],
    warnings: [],
  })
})

test('a challenge is kept with the sign-in until it is renewed', async () => {
  const { store } = await startStore()
  await keep(store, toSignIn(1))
  await run(store, { at: hour, provider: createProvider({ 'refresh-1': [challenged] }) })
  const kept = await store.read(deadline)
  await run(store, { at: hour, provider: createProvider(rotated) })
  const renewed = await store.read(deadline)
  expect([kept?.challenge, renewed?.challenge]).toEqual([{ maxAge: 5 }, undefined])
})

test('a renewed sign-in that cannot be kept is used, with a warning', async () => {
  const store = await startWith()
  const full = new HelperError('not-configured', 'cannot write /s (ENOSPC)', 'make room on the disk')
  const failing: SignInStore = {
    ...store,
    change: async (deadline, change) => {
      await change.make(await store.read(deadline), () => Promise.reject(full))
      throw full
    },
  }
  expect(await run(failing, { at: hour, provider: createProvider(rotated) })).toEqual({
    got: second,
    left: first,
    asked: ['refresh-1'],
    warnings: ['cannot write /s (ENOSPC); what was renewed is used now, and may have to be replaced by a new sign-in'],
  })
})

test('a run that waits while the person signs out is told that nobody is signed in', async () => {
  const store = await startWith()
  const leaving: SignInStore = {
    ...store,
    change: async (deadline, change) => {
      await keep(store, 'forget')
      return store.change(deadline, change)
    },
  }
  expect(await run(leaving, { at: hour, provider: createProvider(rotated) })).toEqual({
    warnings: [],
    got: nobody,
    asked: [],
  })
})

test('a run that can do without a renewal begins none where no process of its own can', async () => {
  const store = await startWith()
  const host = await testHost()
  const call = {
    context: 'background',
    deadline,
    renews: 1,
    warn: () => {},
    ownProgram: host,
  } as unknown as NetworkCall // no more of it is used
  const provider = createProvider(rotated)
  const parts = { host: { ...host, clock: late(host) }, call, isEnough: () => false }
  expect(await failureOf(renewAtProvider({ settings, open: provider.open }, store, parts))).toEqual([
    'unavailable',
    'no process can be started that renews the sign-in',
    'try again later',
  ])
  expect(provider.asked).toEqual([])
})

/** The tokens that are left have ended. */
const late = ({ clock }: Pick<Host, 'clock'>) => ({ ...clock, now: () => testNow + 2 * hour })

/** Returns a renewal for waiting runs, at a provider of which it only matters whether it was asked. */
async function renewForWaiting(parts: { readonly isReplaced: boolean; readonly prepare?: SignInStore['prepare'] }) {
  const asked: (string | undefined)[] = []
  const server = createServer(({ url }, response) => {
    asked.push(url)
    response.writeHead(404).end()
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // a TCP server, which listens
  const store = { ...(await startWith()), ...(parts.prepare && { prepare: parts.prepare }) }
  const { host, call } = await startProviderParts()
  const issued = toIssueTime(toSignIn(1)) - (parts.isReplaced ? 1 : 0)
  const own = plainSettings(`http://127.0.0.1:${port}`)
  const failure = await failureOf(renewForRuns(own, store, { host, call, issued, isPersonUsed: false }))
  return { failure, asked, left: tokensOf(await store.read(deadline)) }
}

test('tokens that were replaced since the waiting runs read them are not renewed again', async () => {
  expect(await renewForWaiting({ isReplaced: true })).toEqual({ failure: 'no failure', asked: [], left: first })
})

test('no refresh token is used up where the next one could not be stored', async () => {
  const prepare = async () => {
    throw new HelperError('not-configured', 'cannot write the store (ENOSPC)', 'make room on the disk')
  }
  expect(await renewForWaiting({ isReplaced: false, prepare })).toEqual({
    failure: ['not-configured', 'cannot write the store (ENOSPC)', 'make room on the disk'],
    asked: [],
    left: first,
  })
})
