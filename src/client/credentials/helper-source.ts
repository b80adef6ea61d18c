import { isDeepStrictEqual } from 'node:util'
import type { Credential, HelperScriptCredential } from '../../config/document.ts'
import type { ClientContext } from '../../contract/context.ts'
import type { HeldCredential } from '../launch/run-credential-helper.ts'
import type { EmitEvent, RunCause } from '../timeline/client-event.ts'
import type { CredentialSource, SessionContext, SessionCredential, SourceSetup } from './credential-source.ts'
import {
  type CredentialAge,
  type CredentialTiming,
  computeDueAt,
  isReusedAtStart,
  refreshContext,
  toCredentialTiming,
} from './credential-timing.ts'
import { runAndReport } from './run-and-report.ts'

interface CachedCredential extends CredentialAge {
  readonly credential: HeldCredential
  isRefused: boolean
}

/** Runs the helper when the contract says so and caches the credential that it printed in memory for the ttl. */
export class HelperSource implements CredentialSource {
  readonly missing = { failure: 'no-credential', message: 'there is no credential to send' } as const
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
    const isSignIn = await this.#obtain(context, 'session-start', emit)
    return { session: this.#createSessionCredential(isSignIn ? undefined : this.#cached), isSignIn }
  }

  async joinSession(emit: EmitEvent): Promise<SessionCredential> {
    if (!this.#cached) await this.#obtain(refreshContext, 'document-changed', emit)
    return this.#createSessionCredential()
  }

  update(credential: Credential | undefined): boolean {
    if (credential?.kind !== 'helper-script' || !isDeepStrictEqual(identityOf(credential), identityOf(this.#helper)))
      return false
    this.#helper = credential
    return true
  }

  forget(): void {
    this.#cached = undefined
  }

  /** A session whose start gave no credential does not use `excluded`, which an earlier session obtained. */
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

  /** Each 401 causes one silent refresh, even while another window refreshes; without silent refresh, a prompt. */
  async #renew(refused: HeldCredential, emit: EmitEvent): Promise<HeldCredential | undefined> {
    if (this.#cached?.credential === refused) this.#cached.isRefused = true
    if (this.#timing.onExpiry === 'refresh') return this.#run(refreshContext, 'unauthorized', emit)
    emit({ type: 'expiry-prompt' })
    return undefined
  }

  async #obtain(context: ClientContext, cause: RunCause, emit: EmitEvent): Promise<boolean> {
    return (await this.#run(context, cause, emit)) !== undefined
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

/** The settings that decide which token a helper prints; the others only decide when and how long it runs. */
function identityOf({ command, commandWindows, args, awsEnv }: HelperScriptCredential) {
  return { command, commandWindows, args, awsEnv }
}
