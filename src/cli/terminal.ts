import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import { inspect, styleText } from 'node:util'
import { defaultColumns } from '../helper/run/wrap-words.ts'
import { escapeControls } from '../runtime/escape-controls.ts'
import { exitStatus, HelperError, renderFailure, toOneLine } from '../runtime/failure.ts'
import { programName } from './program-name.ts'

/** How printed text is emphasized; on a pipe, and where `NO_COLOR` is set, it is not. */
export type Style = 'bad' | 'caution' | 'quiet' | 'strong'

/**
 * The terminal, or the pipes, through which the command talks to a person. Everything that is written passes
 * {@link escapeControls}, whoever it is from: only the styles of `paint` steer a terminal.
 */
export interface Terminal {
  /** The answer in words or JSON. */
  print(text: string): void
  /** The answer where every byte counts, such as a file to install: escaped on a screen, and in a pipe as it is. */
  printExact(content: string | Uint8Array): void
  /** The same in pieces: no faster than it is read, and no further once the reader is gone. */
  printAll(pieces: AsyncIterable<string | Uint8Array>): Promise<void>
  /** Words beside the answer. */
  tell(text: string): void
  /** Replaces the line that shows how far the work is; without words the line is cleared. Only for a terminal. */
  showProgress(words?: string): void
  /** Emphasizes a part of what is going to be printed. */
  paint(style: Style, text: string): string
  /** How many characters a line has; of a pipe, as many as people are used to. */
  columns(): number
  /** `undefined` where no person can answer. */
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

/** The terminal or pipe that this process has. */
export function openTerminal(): Terminal {
  process.stdout.on('error', reportLostAnswer)
  process.stderr.on('error', () => {}) // nobody reads it, and there is no other channel to say so
  return {
    print: (text) => process.stdout.write(escapeForeign(text)),
    printExact: (content) => process.stdout.write(createDecoder()(content)),
    printAll,
    tell: (text) => process.stderr.write(escapeControls(text)),
    showProgress: (words) => process.stderr.write(`\r\x1b[K${words === undefined ? '' : `${toOneLine(words)} `}`),
    paint,
    columns: () => process.stdout.columns ?? defaultColumns,
    startConversation,
    readInput: () => process.stdin,
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

/** What is written of one piece after another: a screen shows text, and a character may begin in one piece and end in the next. */
function createDecoder(): (piece: string | Uint8Array) => string | Uint8Array {
  const decoder = new TextDecoder()
  return (piece) => {
    if (!process.stdout.isTTY) return piece
    return escapeControls(typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true }))
  }
}

function paint(style: Style, text: string): string {
  return styleText(formats[style], text, { stream: process.stdout })
}

/** The sequences that {@link paint} writes. */
const styleSequences = Object.values(formats).flatMap((format) =>
  inspect.colors[format]!.map((code) => `\x1b[${code}m`),
)

/** Escapes everything but the styles, and those too where `paint` writes none. */
function escapeForeign(text: string): string {
  if (paint('strong', 'x') === 'x') return escapeControls(text)
  const parts = text.split(/(\x1b\[\d+m)/)
  return parts.map((part) => (styleSequences.includes(part) ? part : escapeControls(part))).join('')
}

/** A reader that closes its end early, such as `head`, is no failure; a full disk is. */
function reportLostAnswer({ code }: NodeJS.ErrnoException): void {
  if (code === 'EPIPE') return
  const failure = new HelperError(
    'refused',
    `standard output cannot be written (${code})`,
    'redirect it to another file',
  )
  process.stderr.write(renderFailure(programName, failure))
  process.exitCode = exitStatus[failure.kind]
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
