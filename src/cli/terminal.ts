import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import { inspect, styleText } from 'node:util'
import { defaultColumns } from '../helper/run/help.ts'
import { type HelperError, toOneLine } from '../runtime/failure.ts'
import { toOutputFailure } from '../runtime/standard-streams.ts'
import { escapeControls } from '../runtime/text/escape.ts'

/** The styles of printed text; on a pipe, and with `NO_COLOR`, text has no style. */
export type Style = 'bad' | 'caution' | 'quiet' | 'strong'

/**
 * The terminal, or the pipes, of the command. All text passes {@link escapeControls}, so that only the styles of `paint` control a
 * terminal.
 */
export interface Terminal {
  /** Writes the answer of a command to stdout, as text or JSON. */
  print(text: string): void
  /** Prints an exact answer, such as a file to install: escaped on a screen, unchanged in a pipe. */
  printExact(content: string | Uint8Array): void
  /** Prints an exact answer in pieces, at the speed of the reader, and stops when the reader closes the pipe. */
  printAll(pieces: AsyncIterable<string | Uint8Array>): Promise<void>
  /** Writes a message to stderr. */
  tell(text: string): void
  /** Waits until the messages have been written. */
  flush(): Promise<void>
  /** Replaces the line that shows the progress; without words the line is cleared. Only for a terminal. */
  tellProgress(words?: string): void
  /** Adds a style to a part of a text. */
  paint(style: Style, text: string): string
  /** The number of characters in a line of the terminal; a common number for a pipe. */
  columns(): number
  /**
   * The number of characters in a line of the terminal; `undefined` for a pipe, whose lines are not wrapped, so that they can be searched
   * and copied.
   */
  width(): number | undefined
  /** `undefined` if no person can answer. */
  startConversation(): Conversation | undefined
  /** Standard input, piece by piece. */
  readInput(): AsyncIterable<Uint8Array>
}

/** The option of a command that can print its answer for a program. */
export const jsonOption = ['--json', 'print one JSON document'] as const

/** Questions to the person at the terminal. */
export interface Conversation extends Disposable {
  /** The answer without surrounding space; `undefined` if the person ended the input. */
  ask(question: string): Promise<string | undefined>
}

const formats = { bad: 'red', caution: 'yellow', quiet: 'gray', strong: 'bold' } as const

/**
 * Opens the terminal or the pipes of this process.
 * @param fail Called if the answer cannot be written.
 */
export function openTerminal(fail: (failure: HelperError) => void): Terminal {
  // A reader that closes the pipe early, such as `head`, is not a failure; a full disk is.
  process.stdout.on('error', (cause: NodeJS.ErrnoException) => cause.code === 'EPIPE' || fail(toOutputFailure(cause)))
  process.stderr.on('error', () => {}) // without a reader, the error cannot be reported
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

/** Waits for the first SIGINT or SIGTERM. A second signal ends the process at once, because no listener is left. */
export function waitForSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve)
  })
}

/** Aborts its signal with the first SIGINT, until it is disposed. A second SIGINT ends the process at once. */
export function openInterrupt(): Interrupt {
  return openListener(['SIGINT'], 'once')
}

/** Aborts its signal with the first SIGINT, SIGTERM or SIGHUP, and keeps the process alive until it is disposed, even if more signals follow. */
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

/** Creates a decoder of pieces for a screen: a character may begin in one piece and end in the next. */
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

/** The escape sequences that {@link renderStyled} writes. */
const styleSequences = Object.values(formats).flatMap((format) =>
  inspect.colors[format]!.map((code) => `\x1b[${code}m`),
)

/** Escapes everything except the styles, and the styles too if `paint` writes none. */
function escapeForeign(text: string): string {
  if (renderStyled('strong', 'x') === 'x') return escapeControls(text)
  const parts = text.split(/(\x1b\[\d+m)/)
  return parts.map((part) => (styleSequences.includes(part) ? part : escapeControls(part))).join('')
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

/** Uses one reader for all answers, so that lines that were typed or pasted before their questions are not lost. */
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
