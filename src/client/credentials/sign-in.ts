import type { Tell } from '../timeline/client-event.ts'

/** How long before the end of a sign-in the banner asks to renew it. The documents say only "before"; ours. */
export const bannerLeadSec = 300

/**
 * How long a sign-in stays valid (`sessionLifetimeSec`). It begins with a session start that obtains a credential; the
 * banner is shown once, and at the end no turn goes out before another session starts. Our reading of the field.
 */
export class SignIn {
  readonly #now: () => number
  readonly #tell: Tell
  #beganAt: number | undefined
  #isBannerShown = false
  #isExpired = false

  constructor(now: () => number, tell: Tell) {
    this.#now = now
    this.#tell = tell
  }

  get isExpired(): boolean {
    return this.#isExpired
  }

  begin(): void {
    this.#beganAt = this.#now()
    this.#isBannerShown = this.#isExpired = false
  }

  end(): void {
    this.#beganAt = undefined
    this.#isBannerShown = this.#isExpired = false
  }

  /** When something is to be shown next, in epoch milliseconds. */
  dueAt(lifetimeSec: number | undefined): number {
    if (this.#beganAt === undefined || this.#isExpired || lifetimeSec === undefined) return Number.POSITIVE_INFINITY
    const leadSec = Math.min(bannerLeadSec, lifetimeSec / 2)
    return this.#beganAt + (lifetimeSec - (this.#isBannerShown ? 0 : leadSec)) * 1000
  }

  /** Shows what is due. `expired`: the sign-in has just ended. */
  wake(lifetimeSec: number | undefined): 'valid' | 'expired' {
    if (lifetimeSec === undefined || this.#now() < this.dueAt(lifetimeSec)) return 'valid'
    const endsAt = (this.#beganAt ?? 0) + lifetimeSec * 1000
    if (this.#now() >= endsAt) {
      this.#isExpired = true
      this.#tell({ type: 'sign-in-expired' })
      return 'expired'
    }
    this.#isBannerShown = true
    this.#tell({ type: 'reauthenticate-banner', remainingSec: Math.round((endsAt - this.#now()) / 1000) })
    return 'valid'
  }
}
