import { isDeepStrictEqual } from 'node:util'
import type { Credential, HelperScriptCredential } from '../../config/document.ts'
import type { HelperClient } from '../../contract/client.ts'
import type { ClientContext } from '../../contract/context.ts'
import type { EmitEvent, RunCause, TurnFailure } from '../client-event.ts'
import type { HeldCredential, HelperRun, RunHelper, RunSetup } from '../launch/run-credential-helper.ts'
import type { EraseCredential } from '../launch/run-for-client.ts'
import type { OpenSignIn } from './client-sign-in.ts'
import {
  type CredentialAge,
  type CredentialTiming,
  computeDueAt,
  isReusedAtStart,
  refreshContext,
  toCredentialTiming,
} from './credential-timing.ts'

/** Runs the helper when the contract requires it, and keeps its credential in memory for the ttl. */
export class HelperSource implements CredentialSource {
  readonly missing = noCredential
  #helper: HelperScriptCredential
  readonly #setup: SourceSetup
  #cached: CachedCredential | undefined

  constructor(helper: HelperScriptCredential, setup: SourceSetup) {
    this.#helper = helper
    this.#setup = setup
  }

  async startSession(context: SessionContext, emit: EmitEvent) {
    if (this.#cached && isReusedAtStart(this.#cached, this.#setup.now(), this.#timing)) {
      this.#reuse(this.#cached, emit)
      return { session: this.#createSessionCredential(), isSignIn: false }
    }
    const isSignIn = (await this.#run(context, 'session-start', emit)) !== undefined
    return { session: this.#createSessionCredential(isSignIn ? undefined : this.#cached), isSignIn }
  }

  async continueSession(emit: EmitEvent): Promise<SessionCredential> {
    if (!this.#cached) await this.#run(refreshContext, 'document-changed', emit)
    return this.#createSessionCredential()
  }

  update(credential: Credential | undefined): boolean {
    if (
      credential?.kind !== 'helper-script' ||
      !isDeepStrictEqual(selectIdentity(credential), selectIdentity(this.#helper))
    )
      return false
    this.#helper = credential
    return true
  }

  forget(): void {
    this.#cached = undefined
  }

  /** If the start of a session gave no credential, the session must not use `excluded`, which an earlier session obtained. */
  #createSessionCredential(excluded?: CachedCredential): SessionCredential {
    return {
      beforeTurn: async (emit) => {
        if (!this.#cached || this.#cached === excluded) return undefined
        return this.#setup.now() >= computeDueAt(this.#cached, this.#timing)
          ? this.#run(refreshContext, 'ttl-passed', emit)
          : this.#reuse(this.#cached, emit)
      },
      afterRefusal: (refused, emit) => this.#renew(refused, emit),
    }
  }

  /** Each 401 causes one silent refresh, even if another window is refreshing; without silent refresh, a prompt. */
  async #renew(refused: HeldCredential, emit: EmitEvent): Promise<HeldCredential | undefined> {
    if (this.#cached?.credential === refused) this.#cached.isRefused = true
    if (this.#timing.onExpiry === 'refresh') return this.#run(refreshContext, 'unauthorized', emit)
    emit({ type: 'expiry-prompt' })
    return undefined
  }

  async #run(context: ClientContext, cause: RunCause, emit: EmitEvent): Promise<HeldCredential | undefined> {
    const run = await runAndReport({ helper: this.#helper, context, cause, emit }, this.#setup)
    if (!run.ok) return undefined
    this.#cached = { credential: run.credential, since: this.#setup.now(), isRefused: false }
    return run.credential
  }

  #reuse(cached: CachedCredential, emit: EmitEvent): HeldCredential {
    emit({ type: 'credential-reused', ageSec: Math.round((this.#setup.now() - cached.since) / 1000) })
    return cached.credential
  }

  get #timing(): CredentialTiming {
    return toCredentialTiming(this.#helper, this.#setup.lookAheadSec)
  }
}

/** The failure of a turn if the helper printed no credential. */
export const noCredential = { failure: 'no-credential', message: 'there is no credential to send' } as const

interface CachedCredential extends CredentialAge {
  readonly credential: HeldCredential
  isRefused: boolean
}

/** Selects the settings that determine which token a helper prints; the others only determine when and how long it runs. */
export function selectIdentity({ command, commandWindows, args, awsEnv }: HelperScriptCredential) {
  return { command, commandWindows, args, awsEnv }
}

/** Whether a person opened a session. */
export type SessionContext = 'interactive' | 'scheduled-task'

/** The source of a client's credential. All sessions share one source, and the credential in its cache. */
export interface CredentialSource {
  /** Starts a session. `isSignIn`: a credential was obtained for it, so its start counts as a sign-in. */
  startSession(
    context: SessionContext,
    emit: EmitEvent,
  ): Promise<{ readonly session: SessionCredential; readonly isSignIn: boolean }>
  /** Continues a session after a document has changed the source. */
  continueSession(emit: EmitEvent): Promise<SessionCredential>
  /** Accepts changed settings; `false` if they name another source or another identity, so that a new source is needed. */
  update(credential: Credential | undefined): boolean
  /** Drops the cached credential, so that the next session start obtains another one. */
  forget(): void
  /** The failure of a turn without a credential. */
  readonly missing: { readonly failure: TurnFailure; readonly message: string }
}

/** The credential in one window: it determines when to get another one after a refusal. */
export interface SessionCredential {
  /** The credential for a turn; `undefined` without one. */
  beforeTurn(emit: EmitEvent): Promise<HeldCredential | undefined>
  /** The credential for repeating a turn after a 401; `undefined` if the turn is not repeated. */
  afterRefusal(refused: HeldCredential, emit: EmitEvent): Promise<HeldCredential | undefined>
  /** Called when the repeated turn got a 401 too. */
  afterSecondRefusal?(refused: HeldCredential, emit: EmitEvent): void
}

/** The parts of a client that its credential source needs. */
export interface SourceSetup extends RunSetup {
  /** The client's time in epoch milliseconds. */
  readonly now: () => number
  /** How long before its end a ttl counts as over in the check before a turn, in seconds. */
  readonly lookAheadSec: number
  readonly runHelper: RunHelper
  readonly openSignIn: OpenSignIn
  /** The client that runs the helper, instead of the desktop client. */
  readonly otherClient?: HelperClient | undefined
  readonly eraseCredential?: EraseCredential | undefined
}

interface ReportedRun {
  readonly helper: HelperScriptCredential
  /** `undefined` for a client that states none; our helpers then assume that no person is present. */
  readonly context: ClientContext | undefined
  readonly cause: RunCause
  readonly emit: EmitEvent
}

/** Runs a helper, and emits events for its start, its end and the processes that it left. */
export async function runAndReport(
  { helper, context, cause, emit }: ReportedRun,
  { runHelper, ...setup }: RunSetup & { readonly runHelper: RunHelper },
): Promise<HelperRun> {
  emit({ type: 'helper-started', ...(context && { context }), cause })
  const refreshCause = context === refreshContext ? (cause === 'unauthorized' ? 'refused' : 'expired') : undefined
  const run = await runHelper(helper, context ?? 'background', { ...setup, refreshCause })
  const { durationMs, stderr, survivors } = run
  if (survivors !== 'none') emit({ type: 'survivors-found', survivors })
  if (run.ok) {
    const headerNames = Object.keys(run.credential.headers)
    emit({ type: 'helper-succeeded', durationMs, warnings: run.warnings, stderr, headerNames })
  } else emit({ type: 'helper-failed', durationMs, reason: run.reason, message: run.message, stderr })
  return run
}
