// The credential of a relay: however many requests arrive, one run of the helper gives it.

import type { ApiCredential, ApiCredentialSource } from '../../api/api-fetch.ts'
import { type HelperError, toHelperError } from '../../runtime/failure.ts'

/** One credential for all requests of a client: the requests that need a new one at the same moment wait for the same run of the helper. */
export class SharedCredential {
  readonly #source: ApiCredentialSource
  readonly #setup: SharedSetup
  #held: ApiCredential | undefined
  #obtaining: Promise<ApiCredential> | undefined
  #renewing: Promise<ApiCredential | undefined> | undefined
  #renewedAt = Number.NEGATIVE_INFINITY
  #failedAt = Number.NEGATIVE_INFINITY

  constructor(source: ApiCredentialSource, setup: SharedSetup) {
    this.#source = source
    this.#setup = setup
  }

  /**
   * The credential to send. While the source fails, the last one is sent: the gateway decides how long it is good.
   * @throws {HelperError} if there is none.
   */
  async current(): Promise<ApiCredential> {
    await this.#renewing?.catch(() => {}) // the request that asked for it is told why it failed
    if (this.#held && this.#setup.now() - this.#failedAt < pauseMs) return this.#held
    this.#obtaining ??= this.#obtain().finally(() => {
      this.#obtaining = undefined
    })
    return this.#obtaining
  }

  /**
   * The credential with which a request that got a 401 is sent again: the one that has replaced it meanwhile, or a new one. `undefined` if
   * there is none, or if the refused one was itself obtained a moment ago after a 401.
   * @throws {HelperError} if the source fails.
   */
  async renew(refused: ApiCredential): Promise<ApiCredential | undefined> {
    if (this.#held && this.#held.token !== refused.token) return this.#held
    if (this.#setup.now() - this.#renewedAt < pauseMs) return undefined
    this.#renewing ??= this.#obtainAnother().finally(() => {
      this.#renewing = undefined
    })
    return this.#renewing
  }

  async #obtain(): Promise<ApiCredential> {
    try {
      this.#held = await this.#source.current()
    } catch (thrown) {
      if (!this.#held) throw thrown
      this.#failedAt = this.#setup.now()
      this.#setup.onFailure(toHelperError(thrown))
    }
    return this.#held
  }

  async #obtainAnother(): Promise<ApiCredential | undefined> {
    try {
      const renewed = await this.#source.renew()
      if (renewed) this.#held = renewed
      return renewed
    } finally {
      this.#renewedAt = this.#setup.now()
    }
  }
}

/**
 * How long it is remembered that the source failed, or that a renewal did not help, in milliseconds: a client that goes on trying must not run
 * the helper each time.
 */
const pauseMs = 10_000

/** The parameters of a {@link SharedCredential} beside its source. */
interface SharedSetup {
  /** In epoch milliseconds. */
  readonly now: () => number
  /** Receives a failure in spite of which the last credential is still sent. */
  readonly onFailure: (failure: HelperError) => void
}
