import { expect, test } from 'vitest'
import { selectCredentialSource } from '../../../src/client/credentials/select-credential-source.ts'
import type { HeldCredential } from '../../../src/client/launch/run-credential-helper.ts'
import type { ClientName } from '../../../src/contract/clients.ts'
import { clients } from '../../../src/contract/clients.ts'
import { Secret } from '../../../src/runtime/secret.ts'

/** Asks for a credential at these seconds, and has the one of second 2000 refused; gives the events by second. */
async function playDay(name: ClientName, lifeSec: number | undefined) {
  let nowSec = 0
  const told: string[] = []
  const held: HeldCredential = { token: new Secret('token'), headers: {} }
  const run = { ok: true, credential: held, shape: 'bare token', warnings: [], durationMs: 0, stderr: '' } as const
  const source = selectCredentialSource(
    { kind: 'helper-script', command: '/helper' },
    {
      otherClient: clients[name],
      env: {},
      platform: 'linux',
      now: () => nowSec * 1000,
      lookAheadSec: 0,
      runHelper: async () => ({ ...run, survivors: 'none', ...(lifeSec !== undefined && { lifeSec }) }),
      openSignIn: () => Promise.reject(new Error('nobody signs in')) as never,
      eraseCredential: async () => {},
    },
  )
  const emit = (event: { readonly type: string; readonly cause?: string }) => {
    if (event.type !== 'helper-succeeded') told.push(`${nowSec} ${event.cause ?? event.type}`)
  }
  const session = await source.continueSession(emit)
  for (nowSec of [0, 200, 400, 2000, 3000]) {
    await session.beforeTurn(emit)
    if (nowSec === 2000 && (await session.afterRefusal(held, emit))) told.push('2000 repeated')
  }
  return told
}

test.each<[ClientName, number | undefined, string[]]>([
  [
    'codex',
    undefined,
    [
      '0 first-request',
      '200 credential-reused',
      '400 ttl-passed',
      '2000 ttl-passed',
      '2000 unauthorized',
      '2000 repeated',
      '3000 ttl-passed',
    ],
  ],
  [
    'kubernetes',
    1500,
    [
      '0 first-request',
      '200 credential-reused',
      '400 credential-reused',
      '2000 end-near',
      '2000 unauthorized',
      '3000 credential-reused',
    ],
  ],
  ['aws', 1250, ['0 first-request', '200 credential-reused', '400 end-near', '2000 end-near', '3000 end-near']],
  [
    'bazel',
    undefined,
    ['0 first-request', '200 credential-reused', '400 credential-reused', '2000 ttl-passed', '3000 credential-reused'],
  ],
  [
    'git',
    undefined,
    [
      '0 first-request',
      '200 first-request',
      '400 first-request',
      '2000 first-request',
      '2000 credential-erased',
      '3000 first-request',
    ],
  ],
])('%s runs a helper by its own rules', async (name, lifeSec, told) => {
  expect(await playDay(name, lifeSec)).toEqual(told)
})
