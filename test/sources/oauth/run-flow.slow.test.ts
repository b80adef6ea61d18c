import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { HelperError } from '../../../src/runtime/failure.ts'
import type { SignInTools } from '../../../src/sources/oauth/flow.ts'
import { runFlow } from '../../../src/sources/oauth/run-flow.ts'
import { testNow } from '../../setup/test-host.ts'
import { createBrowsing } from '../../stand-ins/provider/person/browse.ts'
import { startParts } from './made-up-parts.ts'

const address = 'https://a.example/'

type Holding = Parameters<typeof runFlow>[2]

/** The one that runs a sign-in, and tells nobody of it. */
const silent: Holding = {
  record: async () => {},
  tell: () => {},
  readLastWaiting: async () => 0,
  readStop: async () => undefined,
  release: async () => {},
  needsNew: true,
  limit: 'provider',
  pagesMs: 0,
}

/** Returns the messages of a sign-in to those around it, in order. Telling that the browser is open takes long. */
async function follow(
  run: (tools: SignInTools, opened: Promise<void>) => Promise<void>,
  browser: Promise<void> = Promise.resolve(),
) {
  const parts = { ...(await startParts()), openAddress: () => browser }
  const events: string[] = []
  const opened = Promise.withResolvers<void>()
  const holding: Holding = {
    ...silent,
    record: async ({ shown, ended }) => {
      if (shown?.openedAt && !ended) opened.resolve()
      if (shown?.openedAt && !ended) await sleep(200) // time for an end that does not wait for this note
      events.push(ended ? 'ended' : shown?.openedAt ? 'opened' : shown ? 'shown' : 'begun')
    },
    release: async () => void events.push('released'),
    needsNew: false,
  }
  const flow = { id: 'one', subject: 'Example', limitSec: 60, isSignedIn: async () => false }
  await runFlow({ ...flow, run: (tools) => run(tools, opened.promise) }, parts, holding)
  return events
}

test('a browser that opens after the sign-in has ended changes no note', async () => {
  const browser = Promise.withResolvers<void>()
  const events = await follow(({ show }) => show({ address }), browser.promise)
  browser.resolve()
  await setImmediate() // what follows from it has been done
  expect(events).toEqual(['begun', 'shown', 'ended', 'released'])
})

test('a note that is being written is complete before the lock is released', async () => {
  const events = await follow(async ({ show }, opened) => {
    await show({ address })
    await opened
  })
  expect(events).toEqual(['begun', 'shown', 'opened', 'ended', 'released'])
})

test.each([
  ['start again, which begins a new sign-in', undefined],
  ['look at the error in the browser', async () => 'look at the error in the browser'],
])('a sign-in ends at the limit of the provider though the machine slept, and says: %s', async (hint, find) => {
  let now = testNow
  // The clock of a process stops while the machine sleeps.
  const parts = await startParts({ clock: { now: () => now, startedAt: testNow, elapsedMs: () => 0 } })
  const ends: unknown[] = []
  const holding: Holding = { ...silent, record: async ({ ended }) => void ends.push(ended) }
  const run = async () => {
    now += 600_001
    await sleep(5_000)
  }
  const failure = new HelperError('sign-in-required', 'nobody finished the sign-in to Example within 10 minutes', hint)
  const flow = { id: 'one', subject: 'Example', limitSec: 600, isSignedIn: async () => false, run }
  const known = { ...flow, ...(find && { explainUnfinished: find }) }
  await expect(runFlow(known, parts, holding)).rejects.toEqual(failure)
  expect(ends).toEqual([undefined, { at: now, failure }])
})

test('a sign-in that does not end is explained by an answer that came from another host', async () => {
  let now = testNow
  const parts = await startParts({ clock: { now: () => now, startedAt: testNow, elapsedMs: () => 0 } })
  const run = async ({ openListener }: SignInTools) => {
    const listener = await openListener({ hosts: ['127.0.0.1'], path: '/back', referrers: ['login.example'] })
    void listener.waitForCallback('S')
    const visit = { address: new URL(`${listener.redirectUri}?code=c&state=S`), from: new URL('http://adfs.example/') }
    expect((await createBrowsing()(visit)).status).toBe(404)
    now += 600_001
    await sleep(5_000)
  }
  const flow = { id: 'one', subject: 'Example', limitSec: 600, isSignedIn: async () => false, run }
  expect(await runFlow(flow, parts, silent).catch(({ kind, message, hint }) => ({ kind, message, hint }))).toEqual({
    kind: 'sign-in-required',
    message: 'nobody finished the sign-in to Example within 10 minutes',
    hint: 'if people sign in at adfs.example, from where the browser came back, add it to additionalRedirectReferrerHosts',
  })
})
