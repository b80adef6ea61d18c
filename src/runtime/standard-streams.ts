import { fstat, write, writeSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { escapeControls } from './escape-controls.ts'

/** The standard streams of a program. No reader who is slow, or has gone, stops the program's main thread. */
export interface Streams {
  /**
   * Writes the one document of a run. Rejects with the system's error, for example `EPIPE`; waits for a reader who does not read.
   * @param work `abandoned` where every thread may be stuck in other work.
   */
  stdout(text: string, work: 'finished' | 'abandoned'): Promise<void>
  /** Reads stdin to its end, until `isWhole`, or until there is more than `longestBytes`. Rejects with the system's error. */
  stdin(longestBytes: number, isWhole: (bytes: Buffer) => boolean): Promise<Buffer>
  /** Writes lines for people, in order, while the program goes on. An error is ignored: there is nobody to tell. */
  stderr(text: string): void
  /** Waits until stderr has taken everything, for a moment at most. */
  flush(): Promise<void>
  /** Whether stdin and stderr are a terminal. */
  attached(): 'terminal' | 'pipe'
  /** The standard input, which only the commands of a person read. */
  input(): Input
  /** How many characters a line of the terminal on stdout has; `undefined` where there is none. */
  columns(): number | undefined
}

/** What is typed or piped into a program. Only a terminal has the second and the third. */
export interface Input extends Readable {
  readonly isTTY?: boolean
  setRawMode?(isRaw: boolean): unknown
}

/** In milliseconds. What a reader has not taken by then is given up: the exit status tells more than the words. */
const longestFlushMs = 100

/** The streams of this process, with what the host knows of the terminal. */
export function createStreams(terminal: Pick<Streams, 'attached' | 'input' | 'columns'>): Streams {
  const stderr = new Outlet(2)
  return {
    stdout: async (text, work) => {
      if (work === 'abandoned' && !(await hasFreeThread(1))) writeFully(1, text)
      else await writeInThread(1, text)
    },
    // Loaded on use, because only clients of some formats write to it.
    stdin: async (longestBytes, isWhole) =>
      (await import('./reading/standard-input.ts')).readStandardInput(longestBytes, isWhole),
    stderr: (text) => stderr.write(escapeControls(text)),
    flush: () => stderr.flush(),
    ...terminal,
  }
}

/** A descriptor to which texts are written one after the other. */
class Outlet {
  readonly #descriptor: number
  #unwritten: string[] = []
  #writing: Promise<void> = Promise.resolve()
  /** Whether the first unwritten text is with a thread; otherwise all threads may be stuck elsewhere. */
  #hasThread = false

  constructor(descriptor: number) {
    this.#descriptor = descriptor
  }

  write(text: string): void {
    this.#unwritten.push(text)
    this.#writing = this.#writing.then(() => this.#writeNext())
  }

  async flush(): Promise<void> {
    if (this.#unwritten.length === 0) return
    await waitAtMost(longestFlushMs, this.#writing)
    if (this.#unwritten.length > 0 && !this.#hasThread) writeFully(this.#descriptor, this.#unwritten.join(''))
  }

  async #writeNext(): Promise<void> {
    this.#hasThread = false
    await examine(this.#descriptor)
    this.#hasThread = true
    await writeInThread(this.#descriptor, this.#unwritten[0] ?? '').catch(() => undefined)
    this.#unwritten.shift()
  }
}

/** Whether a thread does what it is given, by something that never takes long. */
async function hasFreeThread(descriptor: number): Promise<boolean> {
  let isFree = false
  const examined = examine(descriptor).then(() => {
    isFree = true
  })
  await waitAtMost(longestFlushMs, examined)
  return isFree
}

function examine(descriptor: number): Promise<void> {
  return new Promise((resolve) => fstat(descriptor, () => resolve()))
}

/** Writes the whole text, however little the descriptor takes at a time. Rejects with the system's error. */
export async function writeInThread(descriptor: number, text: string): Promise<void> {
  let rest = Buffer.from(text)
  while (rest.length > 0) {
    const { error, length } = await writeSome(descriptor, rest)
    // EAGAIN: a parent has made the pipe non-blocking, and the reader is slow.
    if (error && error.code !== 'EAGAIN') throw error
    if (error) await new Promise((resolve) => setTimeout(resolve, 5))
    else rest = rest.subarray(length)
  }
}

function writeSome(
  descriptor: number,
  bytes: Buffer,
): Promise<{ error: NodeJS.ErrnoException | null; length: number }> {
  return new Promise((resolve) => write(descriptor, bytes, (error, length) => resolve({ error, length })))
}

/** Where no thread is left, this one writes: a reader who does not read is unlikely to be a second fault. */
function writeFully(descriptor: number, text: string): void {
  try {
    for (let rest = Buffer.from(text); rest.length > 0; ) rest = rest.subarray(writeSync(descriptor, rest))
  } catch {
    // Nobody reads, and the exit status still tells.
  }
}

async function waitAtMost(ms: number, work: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  await Promise.race([work, promise])
  clearTimeout(timer)
}
