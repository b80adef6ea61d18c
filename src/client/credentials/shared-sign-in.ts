import type { HelperError } from '../../runtime/failure.ts'
import type { EmitEvent, RenewalCause } from '../client-event.ts'
import type { HeldCredential } from '../launch/run-credential-helper.ts'
import type { ClientSignIn, SignInResult } from './client-sign-in.ts'

/** One person's sign-in for all windows of the client: one browser tab, and one renewal at a time. */
export class SharedSignIn {
  readonly #signIn: ClientSignIn
  readonly #now: () => number
  readonly #underWay = new Map<'sign-in' | 'renewal', Promise<SignInResult>>()
  #held: HeldToken | undefined
  #failure: HelperError | undefined

  constructor(signIn: ClientSignIn, now: () => number) {
    this.#signIn = signIn
    this.#now = now
  }

  /** Describes why there is no usable token. */
  get problem(): string {
    if (this.#failure) return this.#failure.message
    if (!this.#held) return 'nobody is signed in; a person does that by starting a session'
    if (this.#held.refused !== 'no') return 'the gateway has refused the token'
    return 'the token has expired, and the provider gave no refresh token'
  }

  /** Returns whether only a person can help, because there is no renewable token. */
  get needsPerson(): boolean {
    const held = this.#held
    return !held?.isRenewable || held.refused === 'finally' || this.#failure?.kind === 'sign-in-required'
  }

  /** Gives the token again, if it is valid for `lookAheadSec` more and was not refused. */
  reuse(lookAheadSec: number, emit: EmitEvent): HeldCredential | undefined {
    const held = this.#held
    if (!held || held.refused === 'finally' || this.#now() >= held.endsAt - lookAheadSec * 1000) return undefined
    if (held.refused === 'once' && this.needsPerson) return undefined
    emit({ type: 'credential-reused', ageSec: Math.round((this.#now() - held.since) / 1000) })
    return held.credential
  }

  /** Returns the token that has already replaced a refused one; otherwise `undefined`, and the current token is marked as refused. */
  noteRefusal(refused: HeldCredential, emit: EmitEvent): HeldCredential | undefined {
    if (!this.#held || this.#held.credential !== refused) return this.reuse(0, emit)
    if (this.#held.refused === 'no') this.#held.refused = 'once'
    return undefined
  }

  /** Marks a renewed token that was refused too: another renewal would not help. */
  noteSecondRefusal(refused: HeldCredential): void {
    if (this.#held?.credential === refused) this.#held.refused = 'finally'
  }

  /** Signs the person in, or waits for the sign-in of another window. */
  async signIn(emit: EmitEvent): Promise<HeldCredential | undefined> {
    const { isJoined, result } = await this.#share('sign-in', emit, () => {
      emit({ type: 'sign-in-started' })
      return this.#signIn.signIn()
    })
    if (isJoined) emit({ type: 'sign-in-joined', durationMs: result.durationMs })
    return result.ok ? this.#held?.credential : undefined
  }

  /** Waits for the sign-in of another window; `undefined` without one. */
  async waitForSignIn(emit: EmitEvent): Promise<HeldCredential | undefined> {
    return this.#underWay.has('sign-in') ? this.signIn(emit) : undefined
  }

  /** Renews the token without a person, or waits for a renewal in progress. Nothing is tried if only a person can help. */
  async renew(cause: RenewalCause, emit: EmitEvent): Promise<HeldCredential | undefined> {
    if (this.needsPerson) return undefined
    const { isJoined, result } = await this.#share('renewal', emit, () => {
      emit({ type: 'renewal-started', cause })
      return this.#signIn.renew()
    })
    if (isJoined) emit({ type: 'renewal-joined', durationMs: result.durationMs })
    return result.ok ? this.#held?.credential : undefined
  }

  async #share(kind: 'sign-in' | 'renewal', emit: EmitEvent, begin: () => Promise<SignInResult>) {
    const others = this.#underWay.get(kind)
    if (others) return { isJoined: true, result: await others }
    const running = begin().then((result) => this.#take(kind, result, emit))
    this.#underWay.set(kind, running)
    return { isJoined: false, result: await running.finally(() => this.#underWay.delete(kind)) }
  }

  #take(kind: 'sign-in' | 'renewal', result: SignInResult, emit: EmitEvent): SignInResult {
    const { durationMs } = result
    if (!result.ok) {
      this.#failure = result.failure
      const { kind: reason, message } = result.failure
      emit({ type: `${kind}-failed`, durationMs, reason, message })
      return result
    }
    const { token, lifeSec, isRenewable } = result
    const since = this.#now()
    const endsAt = lifeSec === undefined ? Number.POSITIVE_INFINITY : since + lifeSec * 1000
    this.#failure = undefined
    this.#held = { credential: { token, headers: {} }, since, endsAt, isRenewable, refused: 'no' }
    emit({ type: `${kind}-succeeded`, durationMs, ...(lifeSec !== undefined && { lifeSec: Math.round(lifeSec) }) })
    return result
  }
}

/** The token of a sign-in in the client's memory. Times are epoch milliseconds by the client's clock. */
interface HeldToken {
  readonly credential: HeldCredential
  readonly since: number
  readonly endsAt: number
  readonly isRenewable: boolean
  /** Whether a gateway answered 401 to it; `finally`: also to the token after the renewal. */
  refused: 'no' | 'once' | 'finally'
}
