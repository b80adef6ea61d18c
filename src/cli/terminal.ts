import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import { inspect, styleText } from 'node:util'
import { defaultColumns } from '../helper/run/help.ts'
import { type HelperError, toOneLine } from '../runtime/failure.ts'
import { toOutputFailure } from '../runtime/standard-streams.ts'
import { escapeControls } from '../runtime/text/escape.ts'

/** The ways to emphasize printed text; on a pipe, and with `NO_COLOR`, nothing is emphasized. */
export type Style = 'bad' | 'caution' | 'quiet' | 'strong'

/**
 * The terminal, or the pipes, through which the command talks to a person. All text passes {@link escapeControls}, so that only the
 * styles of `paint` steer a terminal.
 */
export interface Terminal {
  /** Writes the answer of a command to stdout, in words or as JSON. */
  print(text: string): void
  /** Prints an answer whose every byte counts, such as a file to install: escaped on a screen, unchanged in a pipe. */
  printExact(content: string | Uint8Array): void
  /** Prints such an answer in pieces, no faster than they are read, and stops when the reader is gone. */
  printAll(pieces: AsyncIterable<string | Uint8Array>): Promise<void>
  /** Writes words beside the answer to stderr. */
  tell(text: string): void
  /** Waits until these words have been written. */
  flush(): Promise<void>
  /** Replaces the line that shows how far the work is; without words the line is cleared. Only for a terminal. */
  tellProgress(words?: string): void
  /** Emphasizes a part of what is going to be printed. */
  paint(style: Style, text: string): string
  /** The number of characters in a line of the terminal; a usual number for a pipe. */
  columns(): number
  /** The number of characters in a line of the terminal; `undefined` for a pipe, whose lines are searched and copied whole. */
  width(): number | undefined
  /** `undefined` if no person can answer. */
  startConversation(): Conversation | undefined
  /** Standard input, piece by piece. */
  readInput(): AsyncIterable<Uint8Array>
}

/** Questions to the person at the terminal. */
export interface Conversation extends Disposable {
  /** The answer without space around it; `undefined` when the person has ended the input. */
  ask(question: string): Promise<string | undefined>
}

const formats = { bad: 'red', caution: 'yellow', quiet: 'gray', strong: 'bold' } as const

/**
 * The terminal or pipe that this process has.
 * @param fail Called when the answer cannot be written.
 */
export function openTerminal(fail: (failure: HelperError) => void): Terminal {
  // A reader that has seen enough, such as `head`, is not a failure; a full disk is.
  process.stdout.on('error', (cause: NodeJS.ErrnoException) => cause.code === 'EPIPE' || fail(toOutputFailure(cause)))
  process.stderr.on('error', () => {}) // nobody reads it, and there is no other channel to say so
  return {
    print: (text) => process.stdout.write(escapeForeign(text)),
    printExact: (content) => process.stdout.write(createDecoder()(content)),
    printAll,
    tell: (text) => process.stderr.write(escapeControls(text)),
    flush: () => new Promise((resolve) => process.stderr.write('', () => resolve())),
    tellProgress: (words) => process.stderr.write(`\r\x1b[K${words === undefined ? '' : `${toOneLine(words)} `}`),
    paint: renderStyled,
    columns: () => process.stdout.columns ?? defaultColumns,
    width: () => process.stdout.columns,
    startConversation,
    readInput: () => process.stdin,
  }
}

/** Waits for the first Ctrl-C or request to end. A second one ends the process at once, because nothing listens for it. */
export function waitForSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve)
  })
}

/** The exit status by which shells report a program that SIGINT ended (128 + 2). */
export const interruptedStatus = 130

/** Aborts its signal with the first Ctrl-C, until it is disposed. A second one ends the process at once. */
export function openInterrupt(): Interrupt {
  return openListener(['SIGINT'], 'once')
}

/** Aborts its signal with the first Ctrl-C or request to end, and keeps the process alive until it is disposed, however many follow. */
export function openCancellation(): Interrupt {
  return openListener(['SIGINT', 'SIGTERM', 'SIGHUP'], 'on')
}

/** Listens for signals of the system until it is disposed. */
type Interrupt = Disposable & { readonly signal: AbortSignal }

function openListener(signals: readonly NodeJS.Signals[], listen: 'once' | 'on'): Interrupt {
  const aborter = new AbortController()
  const abort = () => aborter.abort()
  for (const signal of signals) process[listen](signal, abort)
  return {
    signal: aborter.signal,
    [Symbol.dispose]: () => {
      for (const signal of signals) process.off(signal, abort)
    },
  }
}

async function printAll(pieces: AsyncIterable<string | Uint8Array>): Promise<void> {
  const { stdout } = process
  const decode = createDecoder()
  for await (const piece of pieces) {
    const isRoom = stdout.write(decode(piece))
    if (!isRoom && stdout.writable) await Promise.race([once(stdout, 'drain'), once(stdout, 'close')])
    if (!stdout.writable) return
  }
}

/** Decodes pieces for a screen, which shows text: a character may begin in one piece and end in the next. */
function createDecoder(): (piece: string | Uint8Array) => string | Uint8Array {
  const decoder = new TextDecoder()
  return (piece) => {
    if (!process.stdout.isTTY) return piece
    return escapeControls(typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true }))
  }
}

function renderStyled(style: Style, text: string): string {
  return styleText(formats[style], text, { stream: process.stdout })
}

/** The sequences that {@link renderStyled} writes. */
const styleSequences = Object.values(formats).flatMap((format) =>
  inspect.colors[format]!.map((code) => `\x1b[${code}m`),
)

/** Escapes everything but the styles, and the styles too if `paint` writes none. */
function escapeForeign(text: string): string {
  if (renderStyled('strong', 'x') === 'x') return escapeControls(text)
  const parts = text.split(/(\x1b\[\d+m)/)
  return parts.map((part) => (styleSequences.includes(part) ? part : escapeControls(part))).join('')
}

/** One reader for all answers, so that lines typed or pasted ahead of their questions are not lost. */
function startConversation(): Conversation | undefined {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined
  const reader = createInterface({ input: process.stdin })
  const lines = reader[Symbol.asyncIterator]()
  return {
    ask: async (question) => {
      process.stderr.write(escapeControls(question))
      const line = await lines.next()
      return line.done ? undefined : line.value.trim()
    },
    [Symbol.dispose]: () => reader.close(),
  }
}
