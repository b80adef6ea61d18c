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
import { failureOf } from '../../../setup/failure-parts.ts'
import { testHost, testNow } from '../../../setup/test-host.ts'
import { plainSettings, startProviderParts } from '../oidc/oidc-bench.ts'
import { away, createProvider, invalidGrant, toTokens } from './made-up-provider.ts'
import { deadline, keep, startStore, toPlain } from './made-up-sign-in.ts'
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
async function startWith(signIn = toSignIn(1)) {
  const store = createMemoryStore()
  await keep(store, signIn)
  return store
}

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

const goesOn = (why: string) => [`login.example ${why}; going on with the stored tokens, which expire at ${until}`]
const needsPerson = new HelperError('sign-in-required', 'login.example needs the person', 'sign in')
const noIdToken = new NoIdTokenError('sign-in-required', 'login.example renewed it without an ID token', 'sign in')
const withoutRefreshToken: StoredSignIn = { ...toSignIn(1), tokens: toTokens(1, 'kept') }
const twice = ['refresh-1', 'refresh-1']
const ofTwo = ['refresh-1', 'refresh-2']

test.each<[what: string, answers: object, outcome: object, given?: Partial<Run>]>([
  ['the tokens do as they are', {}, { got: first, left: first, asked: [] }, { isEnough: () => true }],
  ['they do not', rotated, { got: second, left: second }],
  [
    'the provider does not rotate refresh tokens',
    { 'refresh-1': [toTokens(2, 'kept')] },
    { got: 'id-2 access-2 refresh-1', left: 'id-2 access-2 refresh-1' },
  ],
  [
    'the provider is away, and the rest does',
    { 'refresh-1': [away] },
    { got: first, left: first, asked: twice, warnings: goesOn('cannot be reached') },
  ],
  [
    'the provider is away, and the rest has ended',
    { 'refresh-1': [away] },
    { got: [away.kind, away.message, away.hint], left: first, asked: twice },
    { at: hour },
  ],
  [
    'the provider says when to ask again, and is not asked before',
    { 'refresh-1': [busy, toTokens(2)] },
    { got: first, left: first, warnings: goesOn('is busy') },
  ],
  [
    'its answer is lost, and it takes the refresh token once more',
    { 'refresh-1': [away, toTokens(2)] },
    { got: second, left: second, asked: twice },
  ],
  [
    'its answer is lost, and it does not take the refresh token once more',
    { 'refresh-1': [away, invalidGrant] },
    { got: ended, left: undefined, asked: twice },
    { at: hour },
  ],
  [
    'the provider ended the sign-in, and the rest does',
    {},
    { got: first, left: rest, warnings: goesOn('ended the sign-in') },
  ],
  [
    'the provider leaves out what the gateway is to get, and the rest does',
    { 'refresh-1': [noIdToken] },
    { got: first, left: rest, warnings: goesOn('renewed it without an ID token') },
  ],
  [
    'the provider needs the person, and the rest does',
    { 'refresh-1': [needsPerson] },
    { got: first, left: first, warnings: goesOn('needs the person') },
  ],
  [
    'the provider wants the person to sign in in another way, and the rest does all the same',
    { 'refresh-1': [challenged] },
    { got: [challenged.kind, challenged.message, challenged.hint], left: first },
  ],
  [
    'an answer fails its checks, and the next one does not',
    { 'refresh-1': [{ faulty, successor: 'refresh-2' }], 'refresh-2': [toTokens(3)] },
    { got: third, left: third, asked: ofTwo },
    { at: hour },
  ],
  [
    'two answers fail their checks, the last refresh token stays, and nothing is printed',
    { 'refresh-1': [{ faulty, successor: 'refresh-2' }], 'refresh-2': [{ faulty, successor: 'refresh-3' }] },
    { got: ['refused', 'its ID token is faulty', 'ask'], left: 'id-1 access-1 refresh-3', asked: ofTwo },
  ],
  [
    'the keys cannot be had that verify an answer, and its refresh token is the next that is sent',
    { 'refresh-1': [{ faulty: away, successor: 'refresh-2' }], 'refresh-2': [toTokens(3)] },
    { got: third, left: third, asked: ofTwo },
    { at: hour },
  ],
  ['the provider ended the sign-in, and the rest has ended', {}, { got: ended, left: undefined }, { at: hour }],
  [
    'the provider ended it and the rest has ended, and what the rest was exchanged for is still served',
    {},
    { got: ended, left: rest },
    { at: hour, renews: 1 },
  ],
  [
    'the provider ended the sign-in, and the gateway may have refused the rest',
    {},
    { got: ended, left: rest },
    { context: 'mid-session-refresh' },
  ],
  [
    'a clock was ahead when it was stored, which says nothing of its tokens',
    rotated,
    { got: second, left: second },
    { at: -hour, isEnough: () => true },
  ],
])('a run renews only what it needs and can: %s', async (_, answers, outcome, given) => {
  const result = await run(await startWith(), { at: 1_000, provider: createProvider(answers as never), ...given })
  expect(result).toEqual({ asked: ['refresh-1'], warnings: [], ...outcome })
})

test.each<[what: string, got: unknown, given: Partial<Run>]>([
  ['is used while it does', rest, {}],
  ['has ended', expired, { at: hour }],
  ['may have been refused by the gateway', stuck, { context: 'mid-session-refresh' }],
  ['cannot be renewed after a clock was ahead', stuck, { at: -hour, isEnough: () => true }],
])('without a refresh token no provider is asked, and the rest %s', async (_, got, given) => {
  const result = await run(await startWith(withoutRefreshToken), { at: 1_000, provider: createProvider({}), ...given })
  expect(result).toEqual({ got, left: rest, asked: [], warnings: [] })
})

test('a run learns that nobody is signed in', async () => {
  const result = await run(createMemoryStore(), { at: 1_000, provider: createProvider({}) })
  expect(result).toEqual({ got: nobody, left: undefined, asked: [], warnings: [] })
})

test('runs at once make one renewal', async () => {
  const { store, host } = await startStore()
  await keep(store, toSignIn(1))
  const provider = createProvider(rotated)
  const another = () => startStore({ host })
  const stores = [store, ...(await Promise.all([another(), another(), another()])).map((each) => each.store)]
  const results = await Promise.all(stores.map((each) => run(each, { at: hour, provider })))
  expect({ got: results.map(({ got }) => got), asked: provider.asked }).toEqual({
    got: [second, second, second, second],
    asked: ['refresh-1'],
  })
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
  expect({ got: outcomes.map(({ got }) => got), asked: provider.asked }).toEqual({
    got: [second, third, third, 'id-4 access-4 refresh-4'],
    asked: ['refresh-1', 'refresh-2', 'refresh-3'],
  })
})

test('the sign-in that another process stored meanwhile is renewed instead of the refused one, once', async () => {
  const store = await startWith()
  // The store is changed by a process that takes no lock, while the provider refuses.
  const reads = [store.read, async () => toSignIn(2)]
  const changing: SignInStore = { ...store, read: (deadline) => (reads.shift() ?? store.read)(deadline) }
  const provider = createProvider({ 'refresh-2': [toTokens(3)] })
  expect(await run(changing, { at: hour, provider })).toEqual({
    got: third,
    left: third,
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
  expect({ kept: kept?.challenge, renewed: renewed?.challenge }).toEqual({ kept: { maxAge: 5 }, renewed: undefined })
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
  // No more of it is used.
  const call = { context: 'background', deadline, renews: 1, warn() {}, ownProgram: host } as unknown as NetworkCall
  const provider = createProvider(rotated)
  const parts = { host: { ...host, clock: late(host) }, call, isEnough: () => false }
  const failure = await failureOf(renewAtProvider({ settings, open: provider.open }, store, parts))
  expect({ failure, asked: provider.asked }).toEqual({
    failure: ['unavailable', 'no process can be started that renews the sign-in', 'try again later'],
    asked: [],
  })
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
