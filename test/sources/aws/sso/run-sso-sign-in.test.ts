import { expect, test } from 'vitest'
import { Deadline } from '../../../../src/runtime/deadline.ts'
import { Secret } from '../../../../src/runtime/secret.ts'
import { runDeviceSignIn, toSignInFailure } from '../../../../src/sources/aws/sso/run-sso-sign-in.ts'
import type { SignInPrompt } from '../../../../src/sources/oauth/flow.ts'
import type { AwsStandIn } from '../../../stand-ins/aws/aws-stand-in.ts'
import { answerQuestion } from '../../../stand-ins/aws/pages/answer-question.ts'
import { outcomeOf, session, startSsoBench, startUrl } from './sso-bench.ts'

interface Moment {
  readonly aws: AwsStandIn
  readonly address: string
  /** How many pauses there have been, this one included. */
  readonly count: number
  passTime(ms: number): void
}

/** Signs in with a code; nothing is waited for. Gives the outcome and the pauses. */
async function signInWith(during: (moment: Moment) => unknown): Promise<[outcome: unknown, pauses: number[]]> {
  await using bench = await startSsoBench()
  const { aws, parts } = bench
  aws.sso.addPortal(startUrl, { assignments: [] })
  let aheadMs = 0
  let address = ''
  const passTime = (ms: number) => {
    aheadMs += ms
  }
  const show = async (prompt: SignInPrompt) => {
    address = prompt.address
  }
  const tools = { show } as Parameters<typeof runDeviceSignIn>[1]['tools'] // nothing else is used
  const host = { ...parts.host, clock: { ...parts.host.clock, now: () => Date.now() + aheadMs } }
  const site = { session, endpoints: parts.endpoints, paths: '/config', renewalHint: '' }
  const pauses: number[] = []
  const pause = async (ms: number) => {
    passTime(ms)
    aws.sso.setPollInterval(0)
    await during({ aws, address, count: pauses.push(ms), passTime })
  }
  const { clientId, clientSecret } = aws.sso.addClient({})
  const client = { id: clientId, secret: new Secret(clientSecret) }
  const deadline = new Deadline({ seconds: 30, hint: '' }, { elapsedMs: () => 0, pause })
  const call = { ...parts.call, deadline }
  const signingIn = runDeviceSignIn(client, { ...parts, host, call, tools, site, issuerUrl: startUrl })
  const outcome = await outcomeOf(signingIn.catch((error) => Promise.reject(toSignInFailure(error, site))))
  return [outcome, pauses]
}

const refuse = (code: string) => ({ kind: 'error', code, status: 400 }) as const

test('after slow_down the pauses are five seconds longer, and a code that nobody confirms expires', async () => {
  const [outcome, pauses] = await signInWith(({ aws, count, passTime }) => {
    if (count < 3) aws.failNext('CreateToken', refuse('SlowDownException'))
    if (count === 5) passTime(600_000)
  })
  expect(pauses).toEqual([1_000, 6_000, 11_000, 11_000, 11_000])
  expect(outcome).toEqual([
    'sign-in-required',
    'nobody finished the sign-in to the SSO session "corp" within 10 minutes',
    'start again, which begins a new sign-in',
  ])
})

test('an outage does not end the wait', async () => {
  const [outcome, pauses] = await signInWith(async ({ aws, address, count }) => {
    if (count === 1) aws.failNext('CreateToken', { kind: 'error', code: 'InternalServerException', status: 500 })
    if (count === 2) aws.failNext('CreateToken', { kind: 'reset' })
    if (count === 3) await answerQuestion(address, 'allow')
  })
  expect([outcome, pauses]).toEqual(['canary-sso-access-1', [1_000, 1_000, 1_000]])
})

test('a person who denies it ends the wait at once', async () => {
  const [outcome] = await signInWith(({ address }) => answerQuestion(address, 'deny'))
  expect(outcome).toEqual([
    'refused',
    'the sign-in to the SSO session "corp" was denied in the browser',
    'start again, and allow it there',
  ])
})
