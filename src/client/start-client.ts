import type { ConfigDocument, Inference } from '../config/document.ts'
import type { ClientEvent, Tell, TurnFailure } from './client-event.ts'
import type { CredentialSource, SessionContext, SourceSurroundings } from './credential-source.ts'
import { selectCredentialSource } from './select-credential-source.ts'
import { type GatewayInference, sendTurn, type TurnAnswer } from './send-turn.ts'

/** Helpers inherit `env`, the client's own, and run in real time whatever `now` says. */
export interface ClientSettings extends SourceSurroundings {
  readonly document: ConfigDocument
  readonly onEvent: (event: ClientEvent) => void
}

/** A running client. Its credential is kept in memory and shared by its sessions. */
export interface Client {
  /** Opens a session; `interactive` (the default) when a person did. */
  startSession(context?: SessionContext): Promise<Session>
}

export interface Session {
  readonly id: number
  /** Sends one turn; `undefined` when it was lost, of which an event tells the reason. */
  sendTurn(text: string): Promise<string | undefined>
}

/** Starts a stand-in for the desktop client, which behaves as the contract says, with an injected clock. */
export function startClient({ document, onEvent, ...surroundings }: ClientSettings): Client {
  const inference = findGateway(document)
  const source = selectCredentialSource(inference?.credential, surroundings)
  let sessions = 0
  return {
    async startSession(context = 'interactive') {
      sessions += 1
      const id = sessions
      const tell: Tell = (happening) => onEvent({ ...happening, session: id, at: surroundings.now() })
      tell({ type: 'session-started', context })
      await source.atSessionStart(context, tell)
      return { id, sendTurn: (text) => playTurn({ inference, source, tell }, text) }
    },
  }
}

/** Without `provider` nothing under `inference` has an effect. */
function findGateway({ inference }: ConfigDocument): GatewayInference | undefined {
  if (inference?.provider !== 'gateway' || inference.baseUrl === undefined) return undefined
  return { ...inference, baseUrl: inference.baseUrl }
}

interface Stage {
  readonly inference: GatewayInference | undefined
  readonly source: CredentialSource
  readonly tell: Tell
}

/** A turn is repeated once, with a renewed credential, when the gateway answers 401. */
async function playTurn({ inference, source, tell }: Stage, text: string): Promise<string | undefined> {
  if (!inference) return lose(tell, 'no-gateway', 'the document names no gateway (provider and baseUrl)')
  const held = await source.beforeTurn(tell)
  if (!held) return lose(tell, source.absence.failure, source.absence.message)
  const authScheme = authSchemeOf(inference)
  const attempt = async (number: 1 | 2, credential: typeof held) => {
    const answer = await sendTurn({ inference, credential, authScheme, text })
    if (typeof answer === 'object') tell({ type: 'request-answered', attempt: number, status: answer.status })
    return answer
  }
  const first = await attempt(1, held)
  if (typeof first !== 'object' || first.status !== 401) return conclude(first, 1, tell)
  const renewed = await source.afterRefusal(tell)
  return renewed ? conclude(await attempt(2, renewed), 2, tell) : conclude(first, 1, tell)
}

function conclude(answer: TurnAnswer, attempts: 1 | 2, tell: Tell): string | undefined {
  if (answer === 'unreachable') return lose(tell, answer, 'the gateway cannot be reached')
  if (answer === 'unsendable') return lose(tell, answer, 'the token or a header holds what HTTP cannot carry')
  if (answer.status !== 200)
    return lose(tell, failures.get(answer.status) ?? 'gateway-error', `the gateway answered with HTTP ${answer.status}`)
  tell({ type: 'turn-succeeded', attempts })
  return answer.text
}

/** Only 401 says that the credential has expired; 403 does not. Our decision, as the documents leave it open. */
const failures: ReadonlyMap<number, TurnFailure> = new Map([
  [401, 'unauthorized'],
  [403, 'forbidden'],
])

function lose(tell: Tell, failure: TurnFailure, message: string): undefined {
  tell({ type: 'turn-failed', failure, message })
}

function authSchemeOf({ credential }: Inference): 'bearer' | 'x-api-key' {
  return credential && 'authScheme' in credential && credential.authScheme ? credential.authScheme : 'bearer'
}
