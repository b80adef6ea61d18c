import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { NetworkCall } from '../../../../src/helper/define-helper.ts'
import { HelperError } from '../../../../src/runtime/failure.ts'
import { createCacheDirectory, locateCacheDirectory } from '../../../../src/runtime/files/private-files.ts'
import { createRelease } from '../../../../src/sources/oauth/attempt-sign-in.ts'
import { attemptLock } from '../../../../src/sources/oauth/progress/locks.ts'
import { locateSignInFiles, writeNote } from '../../../../src/sources/oauth/progress/note.ts'
import { readStop } from '../../../../src/sources/oauth/progress/stop.ts'
import { createMemoryStore } from '../../../../src/sources/oauth/store/memory-store.ts'
import type { StoredSignIn } from '../../../../src/sources/oauth/store/sign-in-store.ts'
import { signOut } from '../../../../src/sources/oauth/store/sign-out.ts'
import { type TestHost, testHost } from '../../../setup/test-host.ts'
import { away, createProvider, toTokens } from './made-up-provider.ts'
import { deadline, keep } from './made-up-sign-in.ts'
import { settings, toSignIn } from './plain-sign-in.ts'

type Revocation = 'revoked' | 'not offered' | Error

const flow = { id: 'one' }

async function run(signIn: StoredSignIn | undefined, { asked, open }: ReturnType<typeof createProvider>) {
  const store = createMemoryStore()
  if (signIn) await keep(store, signIn)
  const warnings: string[] = []
  const call = { deadline, warn: (message: string) => void warnings.push(message) } as unknown as NetworkCall // no more of it is used
  const host = await testHost()
  const end = () => signOut(settings, store, { host, call, flow, open })
  return { host, end, asked, warnings, left: () => store.read(deadline) }
}

const remains = 'the tokens that it has issued stay valid until they expire'
const withTokens = (tokens: StoredSignIn['tokens']) => ({ ...toSignIn(1), tokens })
const { idToken } = toTokens(1)

interface Ended {
  readonly asked: readonly string[]
  readonly warnings: readonly string[]
  readonly wasSignedIn: boolean
}

test.each<[what: string, signIn: StoredSignIn | undefined, revocation: Revocation, ended: Ended]>([
  ['nobody was signed in', undefined, 'revoked', { asked: [], warnings: [], wasSignedIn: false }],
  [
    'the provider is told, first of the refresh token',
    toSignIn(1),
    'revoked',
    { asked: ['revoke refresh_token refresh-1', 'revoke access_token access-1'], warnings: [], wasSignedIn: true },
  ],
  [
    'only an access token is known',
    withTokens(toTokens(1, 'kept')),
    'revoked',
    { asked: ['revoke access_token access-1'], warnings: [], wasSignedIn: true },
  ],
  ['only an ID token is known', withTokens({ idToken }), away, { asked: [], warnings: [], wasSignedIn: true }],
  [
    'the provider revokes nothing',
    withTokens(toTokens(1, 'kept')),
    'not offered',
    {
      asked: ['revoke access_token access-1'],
      warnings: [`login.example cannot be told of the sign-out; ${remains}`],
      wasSignedIn: true,
    },
  ],
  [
    'this machine is offline',
    toSignIn(1),
    away,
    {
      asked: ['revoke refresh_token refresh-1'],
      warnings: [`login.example was not told of the sign-out: ${away.message}; ${remains}`],
      wasSignedIn: true,
    },
  ],
])(
  'a sign-out forgets the tokens, and warns where the provider was not told: %s',
  async (_, signIn, revocation, { wasSignedIn, ...told }) => {
    const { end, left, asked, warnings } = await run(signIn, createProvider({}, revocation))
    const ended = { subject: 'login.example', wasSignedIn, wasUnderWay: false }
    expect({ first: await end(), left: await left(), second: await end(), asked, warnings }).toEqual({
      first: ended,
      left: undefined,
      second: { ...ended, wasSignedIn: false },
      ...told,
    })
  },
)

/** Starts a process that signs in, and ends as soon as it is told to. */
async function startSigningIn(host: TestHost) {
  const files = locateSignInFiles(await createCacheDirectory(locateCacheDirectory(host)), flow.id)
  const release = createRelease(await attemptLock(files.lock))
  onTestFinished(release)
  const own = { pid: 7, since: 1 }
  await writeNote(files, own)
  const told = async () => {
    for (;;) {
      const stop = await readStop(files, own)
      if (stop) return stop
      await sleep(10)
    }
  }
  const ended = told().then(async ({ failure }) => {
    await release()
    return failure
  })
  return { ended }
}

test('a sign-in that is under way is ended first, and the waiting runs are told why', async () => {
  const { end, host, warnings } = await run(toSignIn(1), createProvider({}))
  const { ended } = await startSigningIn(host)
  expect([await end(), warnings, await ended]).toEqual([
    { subject: 'login.example', wasSignedIn: true, wasUnderWay: true },
    [],
    new HelperError(
      'sign-in-required',
      'the sign-in to login.example was ended by a sign-out',
      'start a new session, in which a person can sign in',
    ),
  ])
})

test('a sign-out fails before the provider is told where its store cannot be changed', async () => {
  const full = new HelperError('not-configured', 'cannot lock', 'look')
  const store = { ...createMemoryStore(), change: () => Promise.reject(full) }
  const { asked, open } = createProvider({})
  const call = { deadline, warn: () => {} } as unknown as NetworkCall // no more of it is used
  await expect(signOut(settings, store, { host: await testHost(), call, flow, open })).rejects.toBe(full)
  expect(asked).toEqual([])
})
