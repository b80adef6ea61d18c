import type { CredentialSource, SessionCredential } from '../credentials/credential-source.ts'
import type { HeldCredential } from '../launch/run-credential-helper.ts'
import type { Tell, TurnFailure } from '../timeline/client-event.ts'
import { type GatewayInference, resolveAuthScheme } from './gateway-inference.ts'
import type { GatewaySilence, SendTurn, StartTimer, TurnAnswer } from './turn.ts'

/** What a turn meets. */
export interface TurnStage {
  readonly text: string
  /** `undefined` where the document names no gateway. */
  readonly inference: GatewayInference | undefined
  readonly isSignedOut: boolean
  /** Nested paths of values that wait for consent. */
  readonly heldBack: readonly string[]
  readonly world: { readonly sendTurn: SendTurn; readonly startTimer: StartTimer }
  readonly now: () => number
  readonly tell: Tell
}

/** Finds what a session sends now, and why there is nothing if there is nothing. */
export type FindCredential = (
  tell: Tell,
) => Promise<{ readonly missing: CredentialSource['missing']; readonly user: SessionCredential }>

/** A turn is repeated once, with a renewed credential, when the gateway answers 401. */
export async function playTurn(stage: TurnStage, findCredential: FindCredential): Promise<string | undefined> {
  const { inference, heldBack } = stage
  const turn = new TurnTally(stage)
  if (stage.isSignedOut) return turn.lose('sign-in-expired', 'the sign-in has expired; a new session renews it')
  const pending = `the person has not agreed to: ${heldBack.join(', ')}`
  if (!inference && heldBack.length > 0) return turn.lose('consent-pending', pending)
  if (!inference) return turn.lose('no-gateway', 'the document names no gateway (provider and baseUrl)')
  if (!inference.credential && heldBack.length > 0) return turn.lose('consent-pending', pending)
  const { missing, user } = await findCredential(turn.tell)
  const held = await user.beforeTurn(turn.tell)
  if (!held) return turn.lose(missing.failure, missing.message)
  const first = await turn.attempt(1, inference, held)
  if ('silence' in first || first.status !== 401) return turn.setExitStatus(first, 1)
  const renewed = await user.afterRefusal(held, turn.tell)
  return renewed ? turn.setExitStatus(await turn.attempt(2, inference, renewed), 2) : turn.setExitStatus(first, 1)
}

/** Counts how long a turn has kept its person waiting: helper runs in real time, answers in the client's. */
class TurnTally {
  readonly #stage: TurnStage
  #waitedMs = 0

  constructor(stage: TurnStage) {
    this.#stage = stage
  }

  readonly tell: Tell = (happening) => {
    if ('durationMs' in happening) this.#waitedMs += happening.durationMs
    this.#stage.tell(happening)
  }

  async attempt(number: 1 | 2, inference: GatewayInference, credential: HeldCredential): Promise<TurnAnswer> {
    const { world, now, text } = this.#stage
    const sentAt = now()
    const authScheme = resolveAuthScheme(inference)
    const answer = await world.sendTurn({ inference, credential, authScheme, text, startTimer: world.startTimer })
    this.#waitedMs += now() - sentAt
    if ('status' in answer) this.tell({ type: 'request-answered', attempt: number, status: answer.status })
    return answer
  }

  setExitStatus(answer: TurnAnswer, attempts: 1 | 2): string | undefined {
    if ('silence' in answer) {
      const [failure, message] = silences[answer.silence]
      return this.lose(failure, answer.trouble?.message ?? message)
    }
    if (answer.status !== 200)
      return this.lose(
        failures.get(answer.status) ?? 'gateway-error',
        `the gateway answered with HTTP ${answer.status}`,
      )
    this.#stage.tell({ type: 'turn-succeeded', attempts, waitedMs: this.#waitedMs })
    return answer.text
  }

  lose(failure: TurnFailure, message: string): undefined {
    this.#stage.tell({ type: 'turn-failed', failure, message, waitedMs: this.#waitedMs })
  }
}

/** Only 401 says that the credential has expired; 403 does not. Our decision, as the documents leave it open. */
const failures: ReadonlyMap<number, TurnFailure> = new Map([
  [401, 'unauthorized'],
  [403, 'forbidden'],
])

const silences: Readonly<Record<GatewaySilence['silence'], [TurnFailure, string]>> = {
  unreachable: ['unreachable', 'the gateway cannot be reached'],
  unsendable: ['unsendable', 'the token or a header holds what HTTP cannot carry'],
  idle: ['stream-idle', 'the stream carried only signs of life for too long'],
  broken: ['gateway-error', 'the gateway reported an error in the middle of its answer'],
}
