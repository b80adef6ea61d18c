import { isDeepStrictEqual } from 'node:util'
import type { Credential } from '../../config/document.ts'
import type { OidcSettings } from '../../sources/oauth/oidc/settings.ts'
import type { HeldCredential } from '../launch/run-credential-helper.ts'
import { findSignIn, isSignIn } from '../sign-in/find-sign-in.ts'
import { SharedSignIn } from '../sign-in/shared-sign-in.ts'
import type { EmitEvent } from '../timeline/client-event.ts'
import type { CredentialSource, SessionContext, SessionCredential, SourceSetup } from './credential-source.ts'

/**
 * Signs a person in when a session starts that a person opened, and renews the token without one. Nobody is asked within a
 * running session, or for a scheduled one.
 */
export class SignInSource implements CredentialSource {
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
    const hasToken = shared.findUsable(this.#setup.lookAheadSec, emit) ?? (await shared.renew('session-start', emit))
    // Where only the provider is out of reach, a browser would not reach it either.
    if (hasToken || context !== 'interactive' || !shared.needsPerson) return { session, isSignIn: false }
    const isDone = (await shared.signIn(emit)) !== undefined
    return { session, isSignIn: isDone && shared === this.#shared }
  }

  async joinSession(): Promise<SessionCredential> {
    return this.#createSession('interactive')
  }

  /** Anything else in `oidc` is another registration, whose tokens are others. */
  update(credential: Credential | undefined): boolean {
    return isSignIn(credential) && isDeepStrictEqual(findSignIn(credential), this.#settings)
  }

  /** What is under way ends in what is dropped here. */
  forget(): void {
    this.#shared = this.#open()
  }

  #open(): SharedSignIn {
    return new SharedSignIn(this.#setup.openSignIn(this.#settings), this.#setup.now)
  }

  #createSession(context: SessionContext): SessionCredential {
    return {
      beforeTurn: async (emit) =>
        this.#shared.findUsable(this.#setup.lookAheadSec, emit) ??
        (await this.#shared.renew('expired', emit)) ??
        // A provider that cannot be reached does not take the last seconds from a token.
        this.#shared.findUsable(0, emit) ??
        this.#joinOrPrompt(context, emit),
      afterRefusal: async (refused, emit) =>
        this.#shared.findReplaced(refused, emit) ??
        (await this.#shared.renew('unauthorized', emit)) ??
        this.#joinOrPrompt(context, emit),
      afterSecondRefusal: (refused, emit) => {
        this.#shared.rejectFinally(refused)
        this.#prompt(context, emit)
      },
    }
  }

  /** A person who signs in for another window does so for this one, too. */
  async #joinOrPrompt(context: SessionContext, emit: EmitEvent): Promise<HeldCredential | undefined> {
    const joined = context === 'interactive' ? await this.#shared.joinSignIn(emit) : undefined
    return joined ?? this.#prompt(context, emit)
  }

  /** A new session helps only where a person is there to sign in. */
  #prompt(context: SessionContext, emit: EmitEvent): undefined {
    if (context === 'interactive' && this.#shared.needsPerson) emit({ type: 'expiry-prompt' })
  }
}
