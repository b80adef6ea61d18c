import type { HelperScriptCredential } from '../config/document.ts'
import type { ClientContext } from '../contract/context.ts'
import { clientDefaults, perTurnCheckAboveTtlSec } from '../contract/limits.ts'
import type { RunCause, Tell } from './client-event.ts'
import type { CredentialSource, SessionContext, SourceSurroundings } from './credential-source.ts'
import { type HeldCredential, runCredentialHelper } from './run-credential-helper.ts'

/**
 * The context of every run inside a session. The documents say it of a rejected credential; for a ttl that has run out
 * before a turn we take the same, because there too a person waits for a turn and nobody may be asked.
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
  readonly absence = { failure: 'no-credential', message: 'there is no credential to send' } as const
  readonly #helper: HelperScriptCredential
  readonly #surroundings: SourceSurroundings
  #kept: Kept | undefined

  constructor(helper: HelperScriptCredential, surroundings: SourceSurroundings) {
    this.#helper = helper
    this.#surroundings = surroundings
  }

  /** A session whose start gives no credential has none, whatever an earlier session had. */
  async atSessionStart(context: SessionContext, tell: Tell): Promise<void> {
    if (this.#kept && !this.#kept.isRefused && !this.#isOverTtl(this.#kept)) this.#reuse(this.#kept, tell)
    else if (!(await this.#run(context, 'session-start', tell))) this.#kept = undefined
  }

  /** With a short ttl the client skips this check; with silent refresh off it keeps what it has until the next session. */
  async beforeTurn(tell: Tell): Promise<HeldCredential | undefined> {
    if (!this.#kept) return undefined
    const isChecked = this.#ttlSec > perTurnCheckAboveTtlSec && this.#refreshesSilently
    if (isChecked && this.#isOverTtl(this.#kept)) return this.#run(refreshContext, 'ttl-passed', tell)
    return this.#reuse(this.#kept, tell)
  }

  /** One silent refresh per 401; without it the person sees a prompt. */
  async afterRefusal(tell: Tell): Promise<HeldCredential | undefined> {
    if (this.#kept) this.#kept.isRefused = true
    if (this.#refreshesSilently) return this.#run(refreshContext, 'unauthorized', tell)
    tell({ type: 'expiry-prompt' })
    return undefined
  }

  async #run(context: ClientContext, cause: RunCause, tell: Tell): Promise<HeldCredential | undefined> {
    tell({ type: 'helper-started', context, cause })
    const run = await runCredentialHelper(this.#helper, context, this.#surroundings)
    const { durationMs, stderr, survivors } = run
    if (survivors !== 'none') tell({ type: 'survivors-found', survivors })
    if (!run.ok) {
      tell({ type: 'helper-failed', durationMs, reason: run.reason, message: run.message, stderr })
      return undefined
    }
    const { credential, warnings } = run
    this.#kept = { credential, since: this.#surroundings.now(), isRefused: false }
    tell({ type: 'helper-succeeded', durationMs, warnings, stderr, headerNames: Object.keys(credential.headers) })
    return credential
  }

  #reuse({ credential, since }: Kept, tell: Tell): HeldCredential {
    tell({ type: 'credential-reused', ageSec: Math.round((this.#surroundings.now() - since) / 1000) })
    return credential
  }

  #isOverTtl({ since }: Kept): boolean {
    return this.#surroundings.now() - since >= this.#ttlSec * 1000
  }

  get #ttlSec(): number {
    return this.#helper.ttlSec ?? clientDefaults.ttlSec
  }

  get #refreshesSilently(): boolean {
    return this.#helper.silentRefreshEnabled ?? clientDefaults.silentRefreshEnabled
  }
}
