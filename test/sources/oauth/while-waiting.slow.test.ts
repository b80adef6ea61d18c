import { expect, test, vi } from 'vitest'
import type { SignInFlow } from '../../../src/sources/oauth/flow.ts'
import { repeatOpening, waitForStore } from '../../../src/sources/oauth/run-flow.ts'
import type { OwnTools } from '../../../src/sources/oauth/sign-in-tools.ts'
import { testHost, testNow } from '../../setup/test-host.ts'

const minute = 60_000

async function createWatched({
  openedAt,
  signedIn = false,
  needsNew = false,
  isOver = false,
}: {
  openedAt: number
  signedIn?: boolean
  needsNew?: boolean
  isOver?: boolean
}) {
  const reopen = vi.fn(async () => {})
  const ended = new AbortController()
  const host = await testHost()
  const watched = {
    flow: { isSignedIn: async () => signedIn } as SignInFlow, // no more of it is used
    tools: { host, reopen } as unknown as OwnTools, // likewise
    holding: { needsNew, readLastWaiting: async () => testNow + minute },
    isOver: () => isOver,
    findShown: () => ({ address: 'https://a.example/', opens: true, openedAt }),
    signal: ended.signal,
  }
  return { watched, reopen, end: () => ended.abort() }
}

test.each([
  [1, 'who comes back minutes after the tab was opened', testNow - 2 * minute],
  [0, 'whose tab was opened a moment ago', testNow - minute],
])('the address is opened %i more times for a person %s', async (count, _, openedAt) => {
  const { watched, reopen, end } = await createWatched({ openedAt })
  const watch = repeatOpening(watched).catch((error: Error) => error.name)
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  end()
  expect([await watch, reopen.mock.calls.length]).toEqual(['AbortError', count])
})

test('a sign-in that another program stores ends the wait, unless a new one is needed', async () => {
  const { watched } = await createWatched({ openedAt: 0, signedIn: true })
  const { watched: refused } = await createWatched({ openedAt: 0, signedIn: true, needsNew: true })
  const first = await Promise.race([
    waitForStore(watched).then(() => 'stored'),
    waitForStore(refused).then(() => 'new'),
  ])
  expect(first).toBe('stored')
})
