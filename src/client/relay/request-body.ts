import type { ClientRequest, IncomingMessage } from 'node:http'

/** The memory in which all bodies are kept that may have to be sent again. */
export interface BodyMemory {
  /** How many bytes are left for all of them. */
  leftBytes: number
}

/** The body of a request: passed on as it comes, no faster than it is taken, and kept until it is certain that it is not needed again. */
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
    source.pause() // until somebody takes it
    source.on('data', (chunk: Buffer) => this.#pass(chunk))
    source.on('end', () => {
      this.#target?.end()
      this.#ended.resolve()
    })
    // A client that breaks off in the middle has not sent its body.
    source.on('close', () => {
      if (!source.complete) this.forget()
      this.#ended.resolve()
    })
  }

  /** Passes the body on to a request as it comes. */
  sendTo(target: ClientRequest): void {
    this.#target = target
    target.on('drain', () => this.#source.resume())
    // Nobody takes the rest, which is read all the same, so that the client can read its answer.
    target.once('close', () => {
      this.#target = undefined
      this.#source.resume()
    })
    this.#source.resume()
  }

  /** The whole body, to be sent again; `undefined` if it is too long for that. */
  async readKept(): Promise<readonly Buffer[] | undefined> {
    this.#target = undefined
    if (this.#kept === undefined) return undefined
    this.#source.resume()
    await this.#ended.promise
    return this.#kept
  }

  /** Drops what was kept, and keeps nothing more. */
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

/** How much of one body is kept; a longer one is sent once. */
const longestKeptBytes = 16 * 1024 * 1024
