import type { EmitEvent } from '../client-event.ts'

/**
 * The validity of a sign-in (`sessionLifetimeSec`). It begins with a session start that obtains a credential. The banner is shown once, and
 * after the end no turn is sent before another session starts. The field's description leaves this open; our reading.
 */
export class SignInLifetime {
  readonly #now: () => number
  readonly #emit: EmitEvent
  #beganAt: number | undefined
  #isBannerShown = false
  #isExpired = false

  constructor(now: () => number, emit: EmitEvent) {
    this.#now = now
    this.#emit = emit
  }

  get isExpired(): boolean {
    return this.#isExpired
  }

  begin(): void {
    this.end()
    this.#beganAt = this.#now()
  }

  end(): void {
    this.#beganAt = undefined
    this.#isBannerShown = this.#isExpired = false
  }

  /** Computes when the banner or the end is due, in epoch milliseconds; infinite if neither is. */
  dueAt(lifetimeSec: number | undefined): number {
    if (this.#beganAt === undefined || this.#isExpired || lifetimeSec === undefined) return Number.POSITIVE_INFINITY
    const leadSec = Math.min(bannerLeadSec, lifetimeSec / 2)
    return this.#beganAt + (lifetimeSec - (this.#isBannerShown ? 0 : leadSec)) * 1000
  }

  /** Emits the events that are due. `expired`: the sign-in has just ended. */
  wake(lifetimeSec: number | undefined): 'valid' | 'expired' {
    if (lifetimeSec === undefined || this.#now() < this.dueAt(lifetimeSec)) return 'valid'
    const endsAt = (this.#beganAt ?? 0) + lifetimeSec * 1000
    if (this.#now() >= endsAt) {
      this.#isExpired = true
      this.#emit({ type: 'sign-in-expired' })
      return 'expired'
    }
    this.#isBannerShown = true
    this.#emit({ type: 'reauthenticate-banner', remainingSec: Math.round((endsAt - this.#now()) / 1000) })
    return 'valid'
  }
}

/** How long before the end the banner appears. The specification says only "before"; our decision. */
const bannerLeadSec = 300
