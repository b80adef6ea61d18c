import type { ConfigDocument, HelperScriptCredential, Inference, StaticCredential } from '../config/document.ts'
import type { ClientContext } from '../contract/context.ts'
import { clientDefaults, perTurnCheckAboveTtlSec } from '../contract/limits.ts'
import type { Environment } from '../runtime/host.ts'
import { Secret } from '../runtime/secret.ts'
import type { ClientEvent, ClientHappening, RunCause, TurnFailure } from './client-event.ts'
import { type HeldCredential, runCredentialHelper } from './run-credential-helper.ts'
import { sendTurn, type TurnAnswer } from './send-turn.ts'

export interface ClientSettings {
  readonly document: ConfigDocument
  /** The client's own environment, which helpers inherit. */
  readonly env: Environment
  readonly platform: NodeJS.Platform
  /** The client's time in epoch milliseconds; helpers run in real time whatever it says. */
  readonly now: () => number
  readonly onEvent: (event: ClientEvent) => void
}

/** A running client. Its credential is kept in memory and shared by its sessions. */
export interface Client {
  /** Opens a session; `interactive` when a person did. */
  startSession(context?: 'interactive' | 'scheduled-task'): Promise<Session>
}

export interface Session {
  readonly id: number
  /** Sends one turn; `undefined` when it was lost, of which an event tells the reason. */
  sendTurn(text: string): Promise<string | undefined>
}

interface Cached {
  readonly credential: HeldCredential
  readonly since: number
}

/** Starts a stand-in for the desktop client, which behaves as the contract says, with an injected clock. */
export function startClient(settings: ClientSettings): Client {
  let cached: Cached | undefined
  let sessions = 0
  const memory: Memory = {
    get: () => cached,
    set: (credential) => {
      cached = { credential, since: settings.now() }
    },
  }
  return {
    async startSession(context = 'interactive') {
      sessions += 1
      const session = new ClientSession(sessions, settings, memory)
      await session.start(context)
      return session
    },
  }
}

interface Memory {
  get(): Cached | undefined
  set(credential: HeldCredential): void
}

class ClientSession implements Session {
  readonly id: number
  readonly #settings: ClientSettings
  readonly #memory: Memory

  constructor(id: number, settings: ClientSettings, memory: Memory) {
    this.id = id
    this.#settings = settings
    this.#memory = memory
  }

  async start(context: 'interactive' | 'scheduled-task'): Promise<void> {
    this.#tell({ type: 'session-started', session: this.id, context })
    const helper = this.#helper
    if (!helper) return
    const cached = this.#memory.get()
    if (cached && !this.#isOverTtl(cached, helper)) this.#tellReuse(cached)
    else await this.#refresh(helper, context, 'session-start')
  }

  async sendTurn(text: string): Promise<string | undefined> {
    const { inference } = this.#settings.document
    if (!inference?.baseUrl) return this.#fail('no-gateway', 'the document names no gateway (baseUrl)')
    const target = { ...inference, baseUrl: inference.baseUrl }
    await this.#checkTtl()
    const credential = this.#credential()
    if (!credential) return this.#failWithoutCredential(inference)
    const first = await this.#attempt(target, credential, text, 1)
    if (first?.status !== 401) return this.#conclude(first, 1)
    const renewed = await this.#renew()
    return renewed ? this.#conclude(await this.#attempt(target, renewed, text, 2), 2) : this.#conclude(first, 1)
  }

  get #helper(): HelperScriptCredential | undefined {
    const credential = this.#settings.document.inference?.credential
    return credential?.kind === 'helper-script' ? credential : undefined
  }

  #credential(): HeldCredential | undefined {
    const credential = this.#settings.document.inference?.credential
    if (credential?.kind === 'static') return heldStatic(credential)
    return this.#helper && this.#memory.get()?.credential
  }

  /** With a short ttl the client skips this check; with silent refresh off it keeps what it has until the next session. */
  async #checkTtl(): Promise<void> {
    const helper = this.#helper
    const cached = this.#memory.get()
    if (!helper || !cached) return
    const isChecked = ttlOf(helper) > perTurnCheckAboveTtlSec && refreshesSilently(helper)
    if (isChecked && this.#isOverTtl(cached, helper)) await this.#refresh(helper, refreshContext, 'ttl-passed')
    else this.#tellReuse(cached)
  }

  /** One silent refresh per 401; without it the person sees a prompt. */
  async #renew(): Promise<HeldCredential | undefined> {
    const helper = this.#helper
    if (helper && refreshesSilently(helper)) return this.#refresh(helper, refreshContext, 'unauthorized')
    this.#tell({ type: 'expiry-prompt', session: this.id })
    return undefined
  }

  async #refresh(helper: HelperScriptCredential, context: ClientContext, cause: RunCause) {
    this.#tell({ type: 'helper-started', session: this.id, context, cause })
    const run = await runCredentialHelper(helper, context, this.#settings)
    const { durationMs, stderr } = run
    if (run.survivors === 'ended') this.#tell({ type: 'survivors-ended', session: this.id })
    if (!run.ok) {
      const { reason, message } = run
      this.#tell({ type: 'helper-failed', session: this.id, durationMs, reason, message, stderr })
      return undefined
    }
    this.#memory.set(run.credential)
    const headerNames = Object.keys(run.credential.headers)
    this.#tell({ type: 'helper-succeeded', session: this.id, durationMs, warnings: run.warnings, stderr, headerNames })
    return run.credential
  }

  async #attempt(
    inference: Inference & { baseUrl: string },
    credential: HeldCredential,
    text: string,
    attempt: 1 | 2,
  ): Promise<TurnAnswer> {
    const authScheme = authSchemeOf(inference)
    const answer = await sendTurn({ inference, credential, authScheme, text })
    if (answer) this.#tell({ type: 'request-answered', session: this.id, attempt, status: answer.status })
    return answer
  }

  #conclude(answer: TurnAnswer, attempts: 1 | 2): string | undefined {
    if (answer === undefined) return this.#fail('unreachable', 'the gateway cannot be reached')
    if (answer.status === 200) {
      this.#tell({ type: 'turn-succeeded', session: this.id, attempts })
      return answer.text
    }
    const failure = answer.status === 401 ? 'unauthorized' : answer.status === 403 ? 'forbidden' : 'gateway-error'
    return this.#fail(failure, `the gateway answered with HTTP ${answer.status}`)
  }

  #failWithoutCredential({ credential }: Inference): undefined {
    if (credential?.kind === 'interactive' || credential?.kind === 'external-idp')
      return this.#fail('unsupported-kind', `sign-in by the client (${credential.kind}) is not part of this stand-in`)
    return this.#fail('no-credential', 'there is no credential to send')
  }

  #fail(failure: TurnFailure, message: string): undefined {
    this.#tell({ type: 'turn-failed', session: this.id, failure, message })
  }

  #isOverTtl({ since }: Cached, helper: HelperScriptCredential): boolean {
    return this.#settings.now() - since >= ttlOf(helper) * 1000
  }

  #tellReuse({ since }: Cached): void {
    this.#tell({
      type: 'credential-reused',
      session: this.id,
      ageSec: Math.round((this.#settings.now() - since) / 1000),
    })
  }

  #tell(happening: ClientHappening): void {
    this.#settings.onEvent({ ...happening, at: this.#settings.now() })
  }
}

/**
 * The context of every run inside a session. The documents say it of a rejected credential; for a ttl that has run out
 * before a turn we take the same, because there too a person waits for a turn and nobody may be asked.
 */
const refreshContext = 'mid-session-refresh'

function ttlOf({ ttlSec = clientDefaults.ttlSec }: HelperScriptCredential): number {
  return ttlSec
}

function refreshesSilently({
  silentRefreshEnabled = clientDefaults.silentRefreshEnabled,
}: HelperScriptCredential): boolean {
  return silentRefreshEnabled
}

function heldStatic({ apiKey }: StaticCredential): HeldCredential | undefined {
  return apiKey === undefined ? undefined : { token: new Secret(apiKey), headers: {} }
}

function authSchemeOf({ credential }: Inference): 'bearer' | 'x-api-key' {
  return credential && 'authScheme' in credential && credential.authScheme ? credential.authScheme : 'bearer'
}
