import type { Socket } from 'node:net'
import { type BusCall, type BusMessage, encodeCall, measureMessage, parseMessage } from './bus-message.ts'
import { BusError } from './bus-types.ts'

/** A connection to a bus, for calls and for signals. When it fails, all pending calls fail. */
export class BusConnection {
  readonly #socket: Socket
  readonly #answers = new Map<number, PendingCall>()
  readonly #observers = new Set<Observer>()
  #serial = 0
  #received = 0
  #unread: Buffer = Buffer.alloc(0)
  #failure: BusError | undefined

  /** @param socket A socket on which the bus has authenticated this user, paused. */
  constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (bytes: Buffer) => this.#take(bytes))
    socket.once('close', () => this.#end(new BusError('closed', 'it ended the connection')))
    socket.resume()
  }

  /**
   * Calls a method, and ignores answers from any other program than the called one.
   * @throws {BusError} `answer` if the method answers with an error; otherwise the problem of the connection.
   */
  async call(call: BusCall): Promise<BusMessage> {
    if (this.#failure) throw this.#failure
    this.#serial += 1
    const { promise, resolve, reject } = Promise.withResolvers<BusMessage>()
    this.#answers.set(this.#serial, { from: call.destination, resolve, reject })
    this.#socket.write(encodeCall(call, this.#serial))
    return promise
  }

  /** Waits for the first signal that `isWanted`. @throws {BusError} the problem of the connection. */
  async waitFor(isWanted: (signal: BusMessage) => boolean): Promise<BusMessage> {
    if (this.#failure) throw this.#failure
    const { promise, resolve, reject } = Promise.withResolvers<BusMessage>()
    const observer = { isWanted, resolve, reject }
    this.#observers.add(observer)
    return promise.finally(() => this.#observers.delete(observer))
  }

  close(): void {
    this.#socket.destroy()
  }

  #take(bytes: Buffer): void {
    this.#received += bytes.length
    this.#unread = this.#unread.length === 0 ? bytes : Buffer.concat([this.#unread, bytes])
    try {
      if (this.#received > longestTrafficBytes) throw new BusError('broken', 'it sends without end')
      for (let length = this.#measure(); length !== undefined; length = this.#measure()) {
        const message = parseMessage(this.#unread.subarray(0, length))
        this.#unread = this.#unread.subarray(length)
        this.#deliver(message)
      }
    } catch (error) {
      if (!(error instanceof BusError)) throw error
      this.#end(error)
    }
  }

  /** Computes the length of the next message; `undefined` until all of it has arrived. */
  #measure(): number | undefined {
    const length = measureMessage(this.#unread)
    return length !== undefined && length <= this.#unread.length ? length : undefined
  }

  #deliver(message: BusMessage): void {
    const { kind, sender, replySerial, errorName } = message
    if (kind === 'signal') {
      for (const { isWanted, resolve } of this.#observers) if (isWanted(message)) resolve(message)
      return
    }
    const answer = kind === 'return' || kind === 'error' ? this.#answers.get(replySerial) : undefined
    if (!answer || (sender !== answer.from && sender !== busName)) return
    this.#answers.delete(replySerial)
    if (kind === 'return') answer.resolve(message)
    else answer.reject(toAnswerError(errorName))
  }

  #end(failure: BusError): void {
    this.#failure ??= failure
    this.#socket.destroy()
    for (const { reject } of [...this.#answers.values(), ...this.#observers]) reject(this.#failure)
  }
}

/**
 * In bytes: the most that all messages of one connection may have together. A service that sends more is broken or hostile. Our decision.
 */
const longestTrafficBytes = 4 * 1_048_576

/** Creates the error for an answer. Its name comes from another program and appears in messages, so it is validated. */
function toAnswerError(errorName: string): BusError {
  const isValid = /^\w+(\.\w+)+$/.test(errorName) && errorName.length < 256
  return new BusError('answer', `it answered ${isValid ? errorName : 'an error without a valid name'}`, errorName)
}

/** The name of the bus itself, which also answers for a program that has ended. */
export const busName = 'org.freedesktop.DBus'

interface PendingCall {
  /** The unique name of the program that was called, or the bus. */
  readonly from: string
  resolve(message: BusMessage): void
  reject(error: BusError): void
}

interface Observer {
  isWanted(signal: BusMessage): boolean
  resolve(message: BusMessage): void
  reject(error: BusError): void
}
