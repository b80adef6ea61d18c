import { isDeepStrictEqual } from 'node:util'
import type { Credential, HelperScriptCredential } from '../../config/document.ts'
import type { HelperClient } from '../../contract/clients/client.ts'
import { findRenewedBeforeSec } from '../../contract/clients/client-traits.ts'
import type { HeldCredential } from '../launch/run-credential-helper.ts'
import type { EmitEvent, RunCause } from '../timeline/client-event.ts'
import type { CredentialSource, SessionCredential, SourceSetup } from './credential-source.ts'
import { runAndReport } from './run-and-report.ts'

interface KeptCredential {
  readonly credential: HeldCredential
  /** When the client runs the helper again by itself, in epoch milliseconds; infinite where it does not. */
  readonly dueAt: number
  readonly due: RunCause
  readonly since: number
}

/** Runs a helper when another client than the desktop one does: by its interval, the stated end, and after a 401. */
export class OtherClientSource implements CredentialSource {
  readonly missing = { failure: 'no-credential', message: 'there is no credential to send' } as const
  readonly #helper: HelperScriptCredential
  readonly #client: HelperClient
  readonly #setup: SourceSetup
  #kept: KeptCredential | undefined

  constructor(helper: HelperScriptCredential, client: HelperClient, setup: SourceSetup) {
    this.#helper = helper
    this.#client = client
    this.#setup = setup
  }

  /** Nothing is run until a request needs the credential. */
  async startSession() {
    return { session: await this.joinSession(), isSignIn: false }
  }

  async joinSession(): Promise<SessionCredential> {
    return {
      beforeTurn: (emit) => this.#find(emit),
      afterRefusal: (refused, emit) => this.#renew(refused, emit),
    }
  }

  update(credential: Credential | undefined): boolean {
    return isDeepStrictEqual(credential, this.#helper)
  }

  forget(): void {
    this.#kept = undefined
  }

  async #find(emit: EmitEvent): Promise<HeldCredential | undefined> {
    const kept = this.#kept
    if (!kept || this.#client.refresh.keptFor === 'request') return this.#run('first-request', emit)
    const now = this.#setup.now()
    if (now >= kept.dueAt) return this.#run(kept.due, emit)
    emit({ type: 'credential-reused', ageSec: Math.round((now - kept.since) / 1000) })
    return kept.credential
  }

  /** Only a client that repeats its request gets a credential back. */
  async #renew(refused: HeldCredential, emit: EmitEvent): Promise<HeldCredential | undefined> {
    switch (this.#client.refresh.afterRefusal) {
      case 'repeat':
        return this.#run('unauthorized', emit)
      case 'next-request':
        await this.#run('unauthorized', emit)
        return undefined
      case 'erase':
        this.#kept = undefined
        await this.#setup.eraseCredential?.(this.#helper, refused, this.#setup)
        emit({ type: 'credential-erased' })
        return undefined
      case 'nothing':
        return undefined
    }
  }

  async #run(cause: RunCause, emit: EmitEvent): Promise<HeldCredential | undefined> {
    const run = await runAndReport({ helper: this.#helper, context: undefined, cause, emit }, this.#setup)
    if (!run.ok) return undefined
    const since = this.#setup.now()
    this.#kept = { credential: run.credential, since, ...this.#findDue(since, run.lifeSec) }
    return run.credential
  }

  #findDue(since: number, statedSec: number | undefined): Pick<KeptCredential, 'dueAt' | 'due'> {
    const { intervalSec = Number.POSITIVE_INFINITY } = this.#client.refresh
    const beforeEndSec = findRenewedBeforeSec(this.#client)
    if (beforeEndSec === undefined || statedSec === undefined)
      return { dueAt: since + intervalSec * 1000, due: 'ttl-passed' }
    return { dueAt: since + (statedSec - beforeEndSec) * 1000, due: 'end-near' }
  }
}
