import { expect, test } from 'vitest'
import { Deadline } from '../../../../src/runtime/deadline.ts'
import type { AwsStandIn } from '../../../stand-ins/aws/aws-stand-in.ts'
import { answerQuestion } from '../../../stand-ins/aws/pages/answer-question.ts'
import { startDesk } from './sign-in-desk.ts'

interface Moment {
  readonly aws: AwsStandIn
  readonly address: string
  /** How many pauses there have been, this one included. */
  readonly count: number
  passTime(ms: number): void
}

/** Signs in with a code; nothing is waited for. Gives the outcome and the pauses. */
async function signInWith(during: (moment: Moment) => unknown): Promise<[outcome: unknown, pauses: number[]]> {
  await using desk = await startDesk()
  const { aws, parts } = desk
  let aheadMs = 0
  const passTime = (ms: number) => {
    aheadMs += ms
  }
  const clock = { ...parts.host.clock, now: () => Date.now() + aheadMs }
  const pauses: number[] = []
  const pause = async (ms: number) => {
    passTime(ms)
    aws.sso.setPollInterval(0)
    await during({ aws, address: desk.prompts[0]!.address, count: pauses.push(ms), passTime })
  }
  const deadline = new Deadline({ seconds: 30, hint: '' }, { elapsedMs: () => 0, pause })
  const tools = { canOpenBrowser: false, host: { ...desk.host, clock }, call: { ...parts.call, deadline } }
  return [await desk.signInAs(async () => {}, tools), pauses]
}

const refuse = (code: string) => ({ kind: 'error', code, status: 400 }) as const

test('after slow_down the pauses are five seconds longer, and a code that nobody confirms expires', async () => {
  const [outcome, pauses] = await signInWith(({ aws, count, passTime }) => {
    if (count < 3) aws.failNext('CreateToken', refuse('SlowDownException'))
    if (count === 5) passTime(600_000)
  })
  expect({ pauses, outcome }).toEqual({
    pauses: [1_000, 6_000, 11_000, 11_000, 11_000],
    outcome: [
      'sign-in-required',
      'nobody finished the sign-in to the SSO session "corp" within 10 minutes',
      'start again, which begins a new sign-in',
    ],
  })
})

test('an outage does not end the wait', async () => {
  const [outcome, pauses] = await signInWith(async ({ aws, address, count }) => {
    if (count === 1) aws.failNext('CreateToken', { kind: 'error', code: 'InternalServerException', status: 500 })
    if (count === 2) aws.failNext('CreateToken', { kind: 'reset' })
    if (count === 3) await answerQuestion(address, 'allow')
  })
  expect([outcome, pauses]).toEqual([
    [true, 'shown'],
    [1_000, 1_000, 1_000],
  ])
})

test('a person who denies it ends the wait at once', async () => {
  const [outcome] = await signInWith(({ address }) => answerQuestion(address, 'deny'))
  expect(outcome).toEqual([
    'refused',
    'the sign-in to the SSO session "corp" was denied in the browser',
    'start again, and allow it there',
  ])
})
