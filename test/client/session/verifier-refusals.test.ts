import { expect, test } from 'vitest'
import { runTurn } from '../../../src/client/session/run-turn.ts'
import { startRealTimer } from '../../../src/client/session/turn.ts'
import { type RefusalReason, refusalReasons } from '../../../src/contract/refusal-reasons.ts'
import { Secret } from '../../../src/runtime/secret.ts'
import { toRefusedAnswer } from '../../../src/verify/server/gateway-answer.ts'
import { TokenRefusal } from '../../../src/verify/verdict.ts'

/** Plays a turn that a verifier refuses for this reason, and says how often the helper runs again, and what is lost. */
async function play(reason: RefusalReason) {
  const { status, body } = toRefusedAnswer(new TokenRefusal(reason), 'req_1')
  let sent = 0
  let renewed = 0
  const failures: string[] = []
  const credential = { token: new Secret('canary'), headers: {} }
  const session = {
    beforeTurn: async () => credential,
    afterRefusal: async () => {
      renewed += 1
      return credential
    },
  }
  const source = { missing: { failure: 'sign-in-expired', message: '' } } as const
  await runTurn(
    {
      text: 'Hello?',
      inference: { provider: 'gateway', baseUrl: 'https://gateway.example.com' },
      isSignedOut: false,
      pendingConsent: [],
      world: {
        startTimer: startRealTimer,
        sendTurn: async () => {
          sent += 1
          return { status, text: body, isMessage: false, headers: new Headers() }
        },
      },
      now: () => 0,
      emit: (event) => {
        if (event.type === 'turn-failed') failures.push(event.failure)
      },
    },
    async () => ({ source, session }),
  )
  return { sent, renewed, failures }
}

const expected = {
  401: { sent: 2, renewed: 1, failures: ['unauthorized'] },
  403: { sent: 1, renewed: 0, failures: ['forbidden'] },
  429: { sent: 1, renewed: 0, failures: ['gateway-error'] },
  500: { sent: 1, renewed: 0, failures: ['gateway-error'] },
  503: { sent: 1, renewed: 0, failures: ['gateway-error'] },
} as const

test.each(Object.entries(refusalReasons))(
  'after %s the helper runs again only where another token may help',
  async (reason, { status }) => {
    expect(await play(reason as RefusalReason)).toEqual(expected[status]) // its own keys
  },
)
