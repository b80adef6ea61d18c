import type { ApiCredential, ApiCredentialSource } from '../../api/connection.ts'

/** How long a renewal that did not help is remembered, in milliseconds: a client that goes on trying must not run the helper each time. */
const pauseMs = 10_000

/** One credential for all requests of a client: the requests that need a new one at the same moment wait for the same run of the helper. */
export class SharedCredential {
  readonly #source: ApiCredentialSource
  readonly #now: () => number
  #held: ApiCredential | undefined
  #obtaining: Promise<ApiCredential> | undefined
  #renewing: Promise<ApiCredential | undefined> | undefined
  #renewedAt = Number.NEGATIVE_INFINITY

  constructor(source: ApiCredentialSource, now: () => number) {
    this.#source = source
    this.#now = now
  }

  /** The credential to send. @throws {HelperError} if there is none. */
  async current(): Promise<ApiCredential> {
    await this.#renewing?.catch(() => {}) // whoever asked for it is told why it failed
    this.#obtaining ??= this.#source.current().finally(() => {
      this.#obtaining = undefined
    })
    this.#held = await this.#obtaining
    return this.#held
  }

  /**
   * The credential with which a request that got a 401 is sent again: the one that has replaced it meanwhile, or a new one. `undefined` if
   * there is none, or if the refused one was itself obtained a moment ago after a 401.
   * @throws {HelperError} if the source fails.
   */
  async renew(refused: ApiCredential): Promise<ApiCredential | undefined> {
    if (this.#held && this.#held.token !== refused.token) return this.#held
    if (this.#now() - this.#renewedAt < pauseMs) return undefined
    this.#renewing ??= this.#obtainNew().finally(() => {
      this.#renewing = undefined
    })
    return this.#renewing
  }

  async #obtainNew(): Promise<ApiCredential | undefined> {
    try {
      const renewed = await this.#source.renew()
      if (renewed) this.#held = renewed
      return renewed
    } finally {
      this.#renewedAt = this.#now()
    }
  }
}
