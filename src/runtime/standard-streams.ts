import { fstat, fstatSync, write, writeSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { findErrorCode, HelperError, isWithoutRoom } from './failure.ts'
import { escapeControls } from './text/escape.ts'
import { waitAtMost } from './wait-at-most.ts'

/** The standard streams of a program. A reader that is slow or gone does not block the program's main thread. */
export interface Streams {
  /** Writes the one document of a run, and waits while its reader does not read. Rejects with the system's error, for example `EPIPE`. */
  stdout(text: string): Promise<void>
  /** See `readStandardInput`. */
  stdin(longestBytes: number, isWhole: (bytes: Buffer) => boolean): Promise<Buffer>
  /** Writes lines for people, in order, while the program continues. An error is ignored, because nobody could read about it. */
  stderr(text: string): void
  /**
   * Waits until stderr has taken everything.
   * @param longestMs The longest wait; unlimited by default.
   * @returns `abandoned` if a reader has not taken everything by then: a thread may still be waiting for it.
   */
  flush(longestMs?: number): Promise<'finished' | 'abandoned'>
  /** Whether stdin and stderr are a terminal. */
  attached(): 'terminal' | 'pipe'
  /** The standard input, which only the commands of a person read. */
  input(): Input
  /** The width of the terminal on stdout, in characters; `undefined` if stdout is not a terminal. */
  columns(): number | undefined
}

/** The standard input of a program. Only a terminal has the second and the third member. */
export interface Input extends Readable {
  readonly isTTY?: boolean
  setRawMode?(isRaw: boolean): unknown
}

/** Creates the streams of this process, which are opened on use. */
export function createStreams({ countThreadRequests, open, ...terminal }: ProcessParts): Streams {
  const isThreadFree = () => hasFreeThread(countThreadRequests)
  const stdout = new Outlet(1, { isThreadFree, open: open[1] })
  const stderr = new Outlet(2, { isThreadFree, open: open[2] })
  return {
    stdout: (text) => stdout.write(text),
    // Loaded on use, because only clients of some formats write to it.
    stdin: async (longestBytes, isWhole) =>
      (await import('./standard-input.ts')).readStandardInput(longestBytes, isWhole),
    stderr: (text) => void stderr.write(escapeControls(text)).catch(() => undefined),
    flush: (longestMs) => stderr.flush(longestMs),
    ...terminal,
  }
}

/** The facts about the terminal and this process, from the host. */
interface ProcessParts extends Pick<Streams, 'attached' | 'input' | 'columns'> {
  /** See the function of this name in `host.ts`. */
  countThreadRequests(): number
  /** The runtime's own streams. They are opened on use, because that takes a tenth of a call that is served from the cache. */
  readonly open: Readonly<Record<Descriptor, () => StandardStream>>
}

type Descriptor = 1 | 2

/** The parts of the system that an outlet writes with. */
interface OutletParts {
  /** Whether a thread would begin at once, because not all of them are stuck. */
  isThreadFree(): Promise<boolean>
  open(): StandardStream
}

/**
 * A stream of the runtime's own. Opening one on a pipe makes the pipe non-blocking for every program that shares it, even after this
 * program has ended abnormally; the stream's untyped handle undoes that.
 */
interface StandardStream extends Writable {
  readonly _handle?: { setBlocking?(isBlocking: boolean): unknown }
}

/**
 * A descriptor to which texts are written one after the other, each by only one writer, so that no byte is written twice: work in a thread
 * can neither be withdrawn nor report whether it has begun.
 */
export class Outlet {
  readonly #descriptor: number
  readonly #parts: OutletParts
  #stream: StandardStream | undefined
  #writing: Promise<unknown> = Promise.resolve()
  #unwritten = 0

  constructor(descriptor: number, parts: OutletParts) {
    this.#descriptor = descriptor
    this.#parts = parts
  }

  /** Writes a text after the earlier ones. Rejects with the system's error. */
  write(text: string): Promise<void> {
    this.#unwritten += 1
    const written = this.#writing.then(() => this.#writeWhole(Buffer.from(text)))
    // Each caller gets the error of its own text, and the next text is still written.
    this.#writing = written
      .catch(() => undefined)
      .finally(() => {
        this.#unwritten -= 1
      })
    return written
  }

  async flush(longestMs?: number): Promise<'finished' | 'abandoned'> {
    if (this.#unwritten > 0) await (longestMs === undefined ? this.#writing : waitAtMost(this.#writing, longestMs))
    if (this.#unwritten > 0) return 'abandoned'
    this.#stream?._handle?.setBlocking?.(true)
    return 'finished'
  }

  /** Writes everything, even if the descriptor takes only a little at a time. */
  async #writeWhole(bytes: Buffer): Promise<void> {
    for (let rest = bytes; rest.length > 0; ) {
      const { error, length } = await this.#writeSome(rest)
      // EAGAIN: a parent or the runtime has made the pipe non-blocking, and the reader is slow.
      if (error && error.code !== 'EAGAIN') throw error
      if (error) await new Promise((resolve) => setTimeout(resolve, 5))
      else rest = rest.subarray(length)
    }
  }

  /** Writes in a thread if one is free, because it then begins at once; otherwise in this thread, because all others may be stuck. */
  async #writeSome(bytes: Buffer): Promise<Written> {
    return (await this.#parts.isThreadFree()) ? writeInThread(this.#descriptor, bytes) : this.#writeHere(bytes)
  }

  /**
   * Writes in this thread. A pipe gets as much as it takes, and the rest when it is ready for more; no other kind of descriptor has a
   * reader to wait for.
   */
  #writeHere(bytes: Buffer): Written | Promise<Written> {
    try {
      const stats = fstatSync(this.#descriptor)
      if (stats.isFIFO() || stats.isSocket()) return this.#writeToStream(bytes)
      return { error: null, length: writeSync(this.#descriptor, bytes) }
    } catch (error) {
      return { error: error as NodeJS.ErrnoException, length: 0 }
    }
  }

  #writeToStream(bytes: Buffer): Promise<Written> {
    // Each write gets the error as well.
    this.#stream ??= this.#parts.open().on('error', () => {})
    return new Promise((resolve) =>
      this.#stream!.write(bytes, (error) => resolve({ error: error ?? null, length: bytes.length })),
    )
  }
}

/** The result of writing: how many bytes were taken. */
interface Written {
  readonly error: NodeJS.ErrnoException | null
  readonly length: number
}

/** In milliseconds: how long a thread may take to begin. On a slower machine the text is written without a thread. Our decision. */
const longestStartMs = 50

/** A descriptor that is never open. The system reports that at once, even if a disk does not respond. */
const noDescriptor = 2 ** 31 - 1

/**
 * Returns whether a thread does a minimal task, while no other request begins that could delay a text. The runtime's list does not show
 * this, because listed requests may be almost done, and those of `node:fs/promises` are not listed.
 */
async function hasFreeThread(countThreadRequests: () => number): Promise<boolean> {
  const earlier = countThreadRequests()
  let isAnswered = false
  const answer = new Promise<void>((resolve) => {
    fstat(noDescriptor, () => {
      isAnswered = true
      setImmediate(resolve) // until then this request counts as well
    })
  })
  await waitAtMost(answer, longestStartMs)
  return isAnswered && countThreadRequests() <= earlier
}

function writeInThread(descriptor: number, bytes: Buffer): Promise<Written> {
  return new Promise((resolve) => write(descriptor, bytes, (error, length) => resolve({ error, length })))
}

/** The hint for a stdout that is not read to its end. */
export const unreadOutputHint = 'have the program that starts this read stdout to its end'

/** The hint for each code of the system, apart from those of a full disk. */
const outputHints: Readonly<Record<string, string>> = {
  EFBIG: 'raise the limit of the size of files (ulimit -f), or write stdout elsewhere',
  EPIPE: unreadOutputHint,
  EBADF: 'start this with a stdout that is open for writing',
}

export function toOutputFailure(cause: unknown): HelperError {
  const code = findErrorCode(cause) ?? 'unknown'
  const hint = isWithoutRoom(cause)
    ? 'make room where stdout is written to'
    : (outputHints[code] ?? 'have stdout written elsewhere')
  return new HelperError('unwritable', `stdout cannot be written (${code})`, hint, { cause })
}
