import { isDeepStrictEqual } from 'node:util'
import type { Credential, HelperScriptCredential } from '../../config/document.ts'
import type { ClientContext } from '../../contract/context.ts'
import { clientDefaults, perTurnCheckAboveTtlSec } from '../../contract/limits.ts'
import type { HeldCredential } from '../launch/run-credential-helper.ts'
import type { RunCause, Tell } from '../timeline/client-event.ts'
import type { CredentialSource, SessionContext, SessionCredential, SourceSetup } from './credential-source.ts'
import { tellOfRun } from './tell-of-run.ts'

/**
 * The context of every run inside a session. The documents say it of a rejected credential; for a ttl that has run out
 * before a turn, or a source that a new document names, we take the same, because there too a person waits for a turn
 * and nobody may be asked.
 */
const refreshContext = 'mid-session-refresh'

interface Kept {
  readonly credential: HeldCredential
  readonly since: number
  /** After a 401 a credential is not carried into another session. Our decision: the prompt would lead nowhere. */
  isRefused: boolean
}

/** Runs the helper when the contract says so and keeps what it printed, in memory, for the ttl. */
export class HelperSource implements CredentialSource {
  readonly missing = { failure: 'no-credential', message: 'there is no credential to send' } as const
  #helper: HelperScriptCredential
  readonly #surroundings: SourceSetup
  #kept: Kept | undefined

  constructor(helper: HelperScriptCredential, surroundings: SourceSetup) {
    this.#helper = helper
    this.#surroundings = surroundings
  }

  async startSession(context: SessionContext, tell: Tell) {
    if (this.#kept && !this.#kept.isRefused && this.#ageMs(this.#kept) < this.#ttlMs) {
      this.#reuse(this.#kept, tell)
      return { user: this.#userFor(), isSignIn: false }
    }
    const isSignIn = await this.#obtain(context, 'session-start', tell)
    return { user: this.#userFor(isSignIn ? undefined : this.#kept), isSignIn }
  }

  async joinSession(tell: Tell): Promise<SessionCredential> {
    if (!this.#kept) await this.#obtain(refreshContext, 'document-changed', tell)
    return this.#userFor()
  }

  adapt(credential: Credential | undefined): boolean {
    if (credential?.kind !== 'helper-script' || !isDeepStrictEqual(sourceOf(credential), sourceOf(this.#helper)))
      return false
    this.#helper = credential
    return true
  }

  forget(): void {
    this.#kept = undefined
  }

  /** A session whose start gave no credential has none, whatever an earlier one left behind (`barred`). */
  #userFor(barred?: Kept): SessionCredential {
    return {
      beforeTurn: async (tell) => {
        if (!this.#kept || this.#kept === barred) return undefined
        return this.#isDue(this.#kept) ? this.#run(refreshContext, 'ttl-passed', tell) : this.#reuse(this.#kept, tell)
      },
      afterRefusal: (refused, tell) => this.#renew(refused, tell),
    }
  }

  /** With a short ttl the client skips this check; with silent refresh off it keeps what it has until the next session. */
  #isDue(kept: Kept): boolean {
    const isChecked = this.#ttlMs > perTurnCheckAboveTtlSec * 1000 && this.#refreshesSilently
    return isChecked && this.#ageMs(kept) >= this.#ttlMs - this.#surroundings.lookAheadSec * 1000
  }

  /** One silent refresh per 401, also where another window has one under way; without it the person sees a prompt. */
  async #renew(refused: HeldCredential, tell: Tell): Promise<HeldCredential | undefined> {
    if (this.#kept?.credential === refused) this.#kept.isRefused = true
    if (this.#refreshesSilently) return this.#run(refreshContext, 'unauthorized', tell)
    tell({ type: 'expiry-prompt' })
    return undefined
  }

  async #obtain(context: ClientContext, cause: RunCause, tell: Tell): Promise<boolean> {
    return (await this.#run(context, cause, tell)) !== undefined
  }

  async #run(context: ClientContext, cause: RunCause, tell: Tell): Promise<HeldCredential | undefined> {
    const run = await tellOfRun({ helper: this.#helper, context, cause, tell }, this.#surroundings)
    if (!run.ok) return undefined
    this.#kept = { credential: run.credential, since: this.#surroundings.now(), isRefused: false }
    return run.credential
  }

  #reuse(kept: Kept, tell: Tell): HeldCredential {
    tell({ type: 'credential-reused', ageSec: Math.round(this.#ageMs(kept) / 1000) })
    return kept.credential
  }

  #ageMs({ since }: Kept): number {
    return this.#surroundings.now() - since
  }

  get #ttlMs(): number {
    return (this.#helper.ttlSec ?? clientDefaults.ttlSec) * 1000
  }

  get #refreshesSilently(): boolean {
    return this.#helper.silentRefreshEnabled ?? clientDefaults.silentRefreshEnabled
  }
}

/** What decides which token a helper prints; everything else is when it runs and how long. */
function sourceOf({ command, commandWindows, args, awsEnv }: HelperScriptCredential) {
  return { command, commandWindows, args, awsEnv }
}
