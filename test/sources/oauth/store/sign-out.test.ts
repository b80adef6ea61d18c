import { expect, onTestFinished, test } from 'vitest'
import type { NetworkCall } from '../../../../src/helper/define-helper.ts'
import { HelperError } from '../../../../src/runtime/failure.ts'
import { createCacheDirectory } from '../../../../src/runtime/private/create-cache.ts'
import { locateCacheDirectory } from '../../../../src/runtime/private/locate-cache.ts'
import { attemptLock } from '../../../../src/sources/oauth/progress/locks.ts'
import { locateSignInFiles } from '../../../../src/sources/oauth/progress/sign-in-files.ts'
import { createMemoryStore } from '../../../../src/sources/oauth/store/memory-store.ts'
import type { StoredSignIn } from '../../../../src/sources/oauth/store/sign-in-store.ts'
import { signOut } from '../../../../src/sources/oauth/store/sign-out.ts'
import { testHost } from '../../../setup/test-host.ts'
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

const remains = 'what it has issued is valid there until it expires'
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
      warnings: [`login.example cannot be told that; ${remains}`],
      wasSignedIn: true,
    },
  ],
  [
    'this machine is offline',
    toSignIn(1),
    away,
    {
      asked: ['revoke refresh_token refresh-1'],
      warnings: [`login.example was not told: ${away.message}; ${remains}`],
      wasSignedIn: true,
    },
  ],
])('where %s', async (_, signIn, revocation, { wasSignedIn, ...told }) => {
  const { end, left, asked, warnings } = await run(signIn, createProvider({}, revocation))
  expect(await end()).toEqual({ subject: 'login.example', wasSignedIn })
  expect({ asked, warnings }).toEqual(told)
  expect([await left(), await end()]).toEqual([undefined, { subject: 'login.example', wasSignedIn: false }])
})

test('a sign-in that is under way is told of', async () => {
  const { end, host, warnings } = await run(toSignIn(1), createProvider({}))
  const directory = await createCacheDirectory(locateCacheDirectory(host))
  const lock = await attemptLock(locateSignInFiles(directory, flow.id).lock)
  onTestFinished(async () => lock?.release())
  await end()
  expect(warnings).toEqual(['a sign-in to login.example is under way: whoever finishes it is signed in again'])
})

test('a store that cannot be changed fails, before the provider is told', async () => {
  const full = new HelperError('not-configured', 'cannot lock', 'look')
  const store = { ...createMemoryStore(), change: () => Promise.reject(full) }
  const { asked, open } = createProvider({})
  const call = { deadline, warn: () => {} } as unknown as NetworkCall // no more of it is used
  await expect(signOut(settings, store, { host: await testHost(), call, flow, open })).rejects.toBe(full)
  expect(asked).toEqual([])
})
