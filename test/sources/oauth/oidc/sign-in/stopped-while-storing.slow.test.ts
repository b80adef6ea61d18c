import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { HelperError } from '../../../../../src/runtime/failure.ts'
import { createOidcFlow } from '../../../../../src/sources/oauth/oidc/sign-in/oidc-flow.ts'
import type { SignInNote } from '../../../../../src/sources/oauth/progress/note.ts'
import type { Stop } from '../../../../../src/sources/oauth/progress/stop.ts'
import { runFlow } from '../../../../../src/sources/oauth/run-flow.ts'
import { createMemoryStore } from '../../../../../src/sources/oauth/store/memory-store.ts'
import type { SignInStore } from '../../../../../src/sources/oauth/store/sign-in-store.ts'
import { createPerson } from '../../../../stand-ins/provider/person/create-person.ts'
import type { Page } from '../../../../stand-ins/provider/person/page.ts'
import { plainSettings, startProviderParts } from '../oidc-bench.ts'
import { startTestProvider } from '../people.ts'

/** In milliseconds, longer than a sign-in takes to see that it has to end. */
const slowMs = 700

/** Creates a store whose lock, or whose disk, is slow; `tell` learns when it begins to be so. */
function createSlowStore(slow: 'lock' | 'write', tell: () => void): SignInStore {
  const store = createMemoryStore()
  const wait = async (step: typeof slow) => {
    if (step !== slow) return
    tell()
    await sleep(slowMs)
  }
  return {
    ...store,
    change: (deadline, { make }) =>
      store.change(deadline, {
        make: async (current, keep) => {
          await wait('lock')
          const next = await make(current, keep)
          await wait('write')
          return next
        },
      }),
  }
}

/** Signs a person in, and stops that at the slow step of the store: what the tab shows, what the note says, and what is stored. */
async function stopAt(slow: 'lock' | 'write', stop: Stop) {
  const { issuer } = await startTestProvider()
  const { host, call } = await startProviderParts()
  let isSlow = false
  const store = createSlowStore(slow, () => {
    isSlow = true
  })
  const flow = createOidcFlow(plainSettings(issuer), { host, store, way: 'auto' })
  const tab = Promise.withResolvers<Page>()
  let ended: SignInNote['ended']
  const openAddress = async (address: string) => tab.resolve(await createPerson().open(address))
  const end = await runFlow(
    { ...flow, subject: 'Example' },
    { host, call, way: 'auto', openAddress },
    {
      record: async (note) => {
        ended = note.ended
      },
      tell: () => {},
      readLastWaiting: async () => 0,
      readStop: async () => (isSlow ? stop : undefined),
      release: async () => {},
      needsNew: true,
      limit: 'run',
      pagesMs: 0,
    },
  ).then(
    () => 'signed in',
    ({ message }: HelperError) => message,
  )
  await sleep(slowMs) // a flow that was ended may still be at work
  const stored = (await store.read(call.deadline))?.subject
  return { end, page: (await tab.promise).title, noted: ended && (ended.failure?.message ?? 'signed in'), stored }
}

const signOut = { failure: new HelperError('sign-in-required', 'it was ended by a sign-out', 'start again') }
const replaced = 'another sign-in to Example was begun instead of this one'

test.each<[by: string, stop: Stop]>([
  ['a sign-out', signOut],
  ['another sign-in', {}],
])(
  'a sign-in that %s stops while it is being written is stored, and the tab, the note and the run say so',
  async (_, stop) => {
    expect(await stopAt('write', stop)).toEqual({
      end: 'signed in',
      page: 'You are signed in',
      noted: 'signed in',
      stored: 'alice',
    })
  },
)

test.each<[by: string, stop: Stop, end: string, noted: string | undefined]>([
  ['a sign-out', signOut, signOut.failure.message, signOut.failure.message],
  ['another sign-in', {}, replaced, undefined], // its note is the next sign-in's
])(
  'a sign-in that %s stops before it is written is not stored, and the tab, the note and the run say so',
  async (_, stop, end, noted) => {
    expect(await stopAt('lock', stop)).toEqual({ end, page: 'You are not signed in', noted, stored: undefined })
  },
)
