// The credential of a relay: one helper run serves any number of requests.

import type { ApiCredential, ApiCredentialSource } from '../../api/api-fetch.ts'
import { type HelperError, toHelperError } from '../../runtime/failure.ts'

/** One credential for all requests of a client. Requests that need a new one at the same time wait for the same helper run. */
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
   * Gives the credential to send. While the source fails, the last one is sent, because the gateway decides whether it is still valid.
   * @throws {HelperError} without one.
   */
  async current(): Promise<ApiCredential> {
    await this.#renewing?.catch(() => {}) // the request that started it gets the error
    if (this.#held && this.#setup.now() - this.#failedAt < pauseMs) return this.#held
    this.#obtaining ??= this.#obtain().finally(() => {
      this.#obtaining = undefined
    })
    return this.#obtaining
  }

  /**
   * Gives the credential for repeating a request after a 401: one that has already replaced the refused one, or a new one. `undefined` if
   * the source has no other credential, or if the refused one was itself obtained a moment ago after a 401.
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

/** How long a failed or useless renewal is not repeated, in milliseconds: a client that keeps trying must not run the helper each time. */
const pauseMs = 10_000

/** The parameters of a {@link SharedCredential} besides its source. */
interface SharedSetup {
  /** In epoch milliseconds. */
  readonly now: () => number
  /** Receives a failure after which the last credential is still sent. */
  readonly onFailure: (failure: HelperError) => void
}
