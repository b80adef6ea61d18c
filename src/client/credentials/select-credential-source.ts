// Folder: the credential sources that a document can name, including sign-ins of a person.

import { isDeepStrictEqual } from 'node:util'
import type { Credential, HelperScriptCredential, StaticCredential } from '../../config/document.ts'
import { findRenewedBeforeSec, type HelperClient } from '../../contract/client.ts'
import { Secret } from '../../runtime/secret.ts'
import type { OidcSettings } from '../../sources/oauth/oidc/oidc-settings.ts'
import type { EmitEvent, RunCause } from '../client-event.ts'
import type { HeldCredential } from '../launch/run-credential-helper.ts'
import {
  type CredentialSource,
  HelperSource,
  noCredential,
  runAndReport,
  type SessionContext,
  type SessionCredential,
  type SourceSetup,
} from './helper-source.ts'
import { SharedSignIn } from './shared-sign-in.ts'
import { isSignIn, type SignInCredential, toSignInSettings } from './sign-in-settings.ts'

/** Selects the source that a document names. It never falls back to another source. */
export function selectCredentialSource(credential: Credential | undefined, setup: SourceSetup): CredentialSource {
  switch (credential?.kind) {
    case 'helper-script':
      return setup.otherClient
        ? new OtherClientSource(credential, setup.otherClient, setup)
        : new HelperSource(credential, setup)
    case 'static':
      return createFixedSource(toHeldCredential(credential), {
        failure: 'no-credential',
        message: 'the document has no key (apiKey)',
      })
    case 'interactive':
    case 'external-idp':
      return createSignInSource(credential, setup)
    case undefined:
      return createFixedSource(undefined, { failure: 'no-credential', message: unnamedCredential })
  }
}

/** The problem of a document without a source of credentials. */
export const unnamedCredential = 'the document names no credential'

/** Creates a source with one fixed credential, or without one; it is never renewed. */
function createFixedSource(held: HeldCredential | undefined, missing: CredentialSource['missing']): CredentialSource {
  const session: SessionCredential = { beforeTurn: async () => held, afterRefusal: async () => undefined }
  return {
    missing,
    startSession: async () => ({ session, isSignIn: false }),
    continueSession: async () => session,
    update: () => false,
    forget: () => {},
  }
}

function toHeldCredential({ apiKey }: StaticCredential): HeldCredential | undefined {
  return apiKey === undefined ? undefined : { token: new Secret(apiKey), headers: {} }
}

interface KeptCredential {
  readonly credential: HeldCredential
  /** When the client runs the helper again by itself, in epoch milliseconds; infinite if it does not. */
  readonly dueAt: number
  readonly due: RunCause
  readonly since: number
}

/** Runs a helper at the times of a client other than the desktop one: after its interval, near the stated end, and after a 401. */
class OtherClientSource implements CredentialSource {
  readonly missing = noCredential
  readonly #helper: HelperScriptCredential
  readonly #client: HelperClient
  readonly #setup: SourceSetup
  #kept: KeptCredential | undefined

  constructor(helper: HelperScriptCredential, client: HelperClient, setup: SourceSetup) {
    this.#helper = helper
    this.#client = client
    this.#setup = setup
  }

  /** Nothing runs until a request needs the credential. */
  async startSession() {
    return { session: await this.continueSession(), isSignIn: false }
  }

  async continueSession(): Promise<SessionCredential> {
    return {
      beforeTurn: (emit) => this.#obtain(emit),
      afterRefusal: (refused, emit) => this.#renew(refused, emit),
    }
  }

  update(credential: Credential | undefined): boolean {
    return isDeepStrictEqual(credential, this.#helper)
  }

  forget(): void {
    this.#kept = undefined
  }

  async #obtain(emit: EmitEvent): Promise<HeldCredential | undefined> {
    const kept = this.#kept
    if (!kept || this.#client.refresh.keptFor === 'request') return this.#run('first-request', emit)
    const now = this.#setup.now()
    if (now >= kept.dueAt) return this.#run(kept.due, emit)
    emit({ type: 'credential-reused', ageSec: Math.round((now - kept.since) / 1000) })
    return kept.credential
  }

  /** Renews the credential only for a client that repeats its request. */
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
    this.#kept = { credential: run.credential, since, ...this.#computeDue(since, run.lifeSec) }
    return run.credential
  }

  #computeDue(since: number, statedSec: number | undefined): Pick<KeptCredential, 'dueAt' | 'due'> {
    const { intervalSec = Number.POSITIVE_INFINITY } = this.#client.refresh
    const beforeEndSec = findRenewedBeforeSec(this.#client)
    if (beforeEndSec === undefined || statedSec === undefined)
      return { dueAt: since + intervalSec * 1000, due: 'ttl-passed' }
    return { dueAt: since + (statedSec - beforeEndSec) * 1000, due: 'end-near' }
  }
}

/**
 * Signs a person in when the person opens a session, and renews the token without the person. No person is asked during a session, or for a
 * scheduled one.
 */
class SignInSource implements CredentialSource {
  readonly #settings: OidcSettings
  readonly #setup: SourceSetup
  #shared: SharedSignIn

  constructor(settings: OidcSettings, setup: SourceSetup) {
    this.#settings = settings
    this.#setup = setup
    this.#shared = this.#open()
  }

  get missing(): CredentialSource['missing'] {
    const { needsPerson, problem } = this.#shared
    return { failure: needsPerson ? 'sign-in-required' : 'no-credential', message: problem }
  }

  async startSession(context: SessionContext, emit: EmitEvent) {
    const session = this.#createSession(context)
    const shared = this.#shared
    const held = shared.reuse(this.#setup.lookAheadSec, emit) ?? (await shared.renew('session-start', emit))
    // If the provider cannot be reached, a browser could not reach it either.
    if (held || context !== 'interactive' || !shared.needsPerson) return { session, isSignIn: false }
    const isDone = (await shared.signIn(emit)) !== undefined
    return { session, isSignIn: isDone && shared === this.#shared }
  }

  async continueSession(): Promise<SessionCredential> {
    return this.#createSession('interactive')
  }

  /** Other settings in `oidc` mean another registration, with other tokens. */
  update(credential: Credential | undefined): boolean {
    return isSignIn(credential) && isDeepStrictEqual(toSignInSettings(credential), this.#settings)
  }

  /** A sign-in in progress ends in the shared sign-in that is dropped here. */
  forget(): void {
    this.#shared = this.#open()
  }

  #open(): SharedSignIn {
    return new SharedSignIn(this.#setup.openSignIn(this.#settings), this.#setup.now)
  }

  #createSession(context: SessionContext): SessionCredential {
    return {
      beforeTurn: async (emit) =>
        this.#shared.reuse(this.#setup.lookAheadSec, emit) ??
        (await this.#shared.renew('expired', emit)) ??
        // If the provider cannot be reached, the token is used until its end.
        this.#shared.reuse(0, emit) ??
        this.#waitOrPrompt(context, emit),
      afterRefusal: async (refused, emit) =>
        this.#shared.noteRefusal(refused, emit) ??
        (await this.#shared.renew('unauthorized', emit)) ??
        this.#waitOrPrompt(context, emit),
      afterSecondRefusal: (refused, emit) => {
        this.#shared.noteSecondRefusal(refused)
        this.#prompt(context, emit)
      },
    }
  }

  /** A sign-in for another window is valid for this one too. */
  async #waitOrPrompt(context: SessionContext, emit: EmitEvent): Promise<HeldCredential | undefined> {
    const joined = context === 'interactive' ? await this.#shared.waitForSignIn(emit) : undefined
    return joined ?? this.#prompt(context, emit)
  }

  /** A new session helps only if a person can sign in. */
  #prompt(context: SessionContext, emit: EmitEvent): undefined {
    if (context === 'interactive' && this.#shared.needsPerson) emit({ type: 'expiry-prompt' })
  }
}

function createSignInSource(credential: SignInCredential, setup: SourceSetup): CredentialSource {
  const found = toSignInSettings(credential)
  return 'failure' in found ? createFixedSource(undefined, found) : new SignInSource(found, setup)
}
