import type { ClientRequest, IncomingMessage } from 'node:http'

/** The memory for all bodies that may have to be sent again. */
export interface BodyMemory {
  /** The remaining bytes for all of them. */
  leftBytes: number
}

/** The body of a request. It is forwarded at the speed of the receiver, and kept until it is certain that it will not be sent again. */
export class RequestBody {
  readonly #source: IncomingMessage
  readonly #memory: BodyMemory
  readonly #ended = Promise.withResolvers<void>()
  #kept: Buffer[] | undefined = []
  #keptBytes = 0
  #target: ClientRequest | undefined

  constructor(source: IncomingMessage, memory: BodyMemory) {
    this.#source = source
    this.#memory = memory
    source.pause() // until it is forwarded
    source.on('data', (chunk: Buffer) => this.#pass(chunk))
    source.on('end', () => {
      this.#target?.end()
      this.#ended.resolve()
    })
    // A client that disconnects in the middle has not sent its whole body.
    source.on('close', () => {
      if (!source.complete) this.forget()
      this.#ended.resolve()
    })
  }

  /** Forwards the body to a request as it arrives. */
  sendTo(target: ClientRequest): void {
    this.#target = target
    target.on('drain', () => this.#source.resume())
    // The rest is read and dropped, so that the client can read its answer.
    target.once('close', () => {
      this.#target = undefined
      this.#source.resume()
    })
    this.#source.resume()
  }

  /** Reads the whole body for repeating the request; `undefined` if it is too long. */
  async readKept(): Promise<readonly Buffer[] | undefined> {
    this.#target = undefined
    if (this.#kept === undefined) return undefined
    this.#source.resume()
    await this.#ended.promise
    return this.#kept
  }

  /** Drops the kept part, and keeps nothing further. */
  forget(): void {
    this.#memory.leftBytes += this.#keptBytes
    this.#keptBytes = 0
    this.#kept = undefined
    this.#ended.resolve()
  }

  #pass(chunk: Buffer): void {
    this.#keep(chunk)
    if (this.#target && !this.#target.destroyed && !this.#target.write(chunk)) this.#source.pause()
  }

  #keep(chunk: Buffer): void {
    if (this.#kept === undefined) return
    this.#memory.leftBytes -= chunk.length
    this.#keptBytes += chunk.length
    this.#kept.push(chunk)
    if (this.#memory.leftBytes < 0 || this.#keptBytes > longestKeptBytes) this.forget()
  }
}

/** The longest kept body; a longer one can be sent only once. */
const longestKeptBytes = 16 * 1024 * 1024
