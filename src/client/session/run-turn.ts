// Runs one turn of a session, with a credential, and once more after a refusal; `send-turn.ts` sends it.

import { type GatewayInference, toAuthScheme } from '../../config/document.ts'
import type { EmitEvent, TurnFailure } from '../client-event.ts'
import type { CredentialSource, SessionCredential } from '../credentials/helper-source.ts'
import type { HeldCredential } from '../launch/run-credential-helper.ts'
import type { TurnObstacle } from './followed-document.ts'
import { type NoAnswer, noAnswerMessages, type SendTurn, type StartTimer, type TurnAnswer } from './turn.ts'

/** The settings and the state of the client at the beginning of a turn. */
export interface TurnSetup {
  readonly text: string
  /** `undefined` if the document names no gateway. */
  readonly inference: GatewayInference | undefined
  readonly isSignedOut: boolean
  readonly obstacle?: TurnObstacle | undefined
  /** Nested paths of values that wait for consent. */
  readonly pendingConsent: readonly string[]
  readonly world: { readonly sendTurn: SendTurn; readonly startTimer: StartTimer }
  readonly now: () => number
  readonly emit: EmitEvent
}

/** Gives the credential of a session, and its source, which has the reason for a missing credential. */
export type RequireCredential = (
  emit: EmitEvent,
) => Promise<{ readonly source: Pick<CredentialSource, 'missing'>; readonly session: SessionCredential }>

/**
 * Sends one turn and returns the text of the answer; `undefined` if the turn was lost. After a 401 it repeats the turn once,
 * with a renewed credential.
 */
export async function runTurn(setup: TurnSetup, requireCredential: RequireCredential): Promise<string | undefined> {
  const { inference, pendingConsent } = setup
  const turn = new TurnRecord(setup)
  if (setup.obstacle) return turn.lose(setup.obstacle.failure, setup.obstacle.message)
  if (setup.isSignedOut) return turn.lose('sign-in-expired', 'the sign-in has expired; a new session renews it')
  const pending = `the person has not agreed to: ${pendingConsent.join(', ')}`
  if (!inference && pendingConsent.length > 0) return turn.lose('consent-pending', pending)
  if (!inference) return turn.lose('no-gateway', 'the document names no gateway (provider and baseUrl)')
  if (!inference.credential && pendingConsent.length > 0) return turn.lose('consent-pending', pending)
  const { source, session } = await requireCredential(turn.emit)
  const held = await session.beforeTurn(turn.emit)
  if (!held) return turn.lose(source.missing.failure, source.missing.message)
  const first = await turn.attempt(1, inference, held)
  if ('reason' in first || first.status !== 401) return turn.finish(first, 1)
  const renewed = await session.afterRefusal(held, turn.emit)
  if (!renewed) return turn.finish(first, 1)
  const second = await turn.attempt(2, inference, renewed)
  if ('status' in second && second.status === 401) session.afterSecondRefusal?.(renewed, turn.emit)
  return turn.finish(second, 2)
}

/** Adds up a person's waiting time for the turn: helper runs in real time, answers in the client's time. */
class TurnRecord {
  readonly #setup: TurnSetup
  #waitedMs = 0

  constructor(setup: TurnSetup) {
    this.#setup = setup
  }

  readonly emit: EmitEvent = (event) => {
    if ('durationMs' in event) this.#waitedMs += event.durationMs
    this.#setup.emit(event)
  }

  async attempt(number: 1 | 2, inference: GatewayInference, credential: HeldCredential): Promise<TurnAnswer> {
    const { world, now, text } = this.#setup
    const sentAt = now()
    const authScheme = toAuthScheme(inference)
    const answer = await world.sendTurn({ inference, credential, authScheme, text, startTimer: world.startTimer })
    this.#waitedMs += now() - sentAt
    if ('status' in answer) this.emit({ type: 'request-answered', attempt: number, status: answer.status })
    return answer
  }

  finish(answer: TurnAnswer, attempts: 1 | 2): string | undefined {
    if ('reason' in answer) {
      const { reason, error } = answer
      return this.lose(failuresByReason[reason], error?.message ?? noAnswerMessages[reason])
    }
    if (answer.status !== 200)
      return this.lose(
        failuresByStatus.get(answer.status) ?? 'gateway-error',
        `the gateway answered with HTTP ${answer.status}`,
      )
    this.#setup.emit({ type: 'turn-succeeded', attempts, waitedMs: this.#waitedMs })
    return answer.text
  }

  lose(failure: TurnFailure, message: string): undefined {
    this.#setup.emit({ type: 'turn-failed', failure, message, waitedMs: this.#waitedMs })
  }
}

/** Only 401 means that the credential has expired; 403 does not. The specification leaves it open; our decision. */
const failuresByStatus: ReadonlyMap<number, TurnFailure> = new Map([
  [401, 'unauthorized'],
  [403, 'forbidden'],
])

const failuresByReason: Readonly<Record<NoAnswer['reason'], TurnFailure>> = {
  unreachable: 'unreachable',
  unsendable: 'unsendable',
  idle: 'stream-idle',
  broken: 'gateway-error',
  endless: 'gateway-error',
}
