import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import { styleText } from 'node:util'
import { exitStatus, HelperError, renderFailure } from '../runtime/failure.ts'
import { programName } from './program-name.ts'

/** How printed text is emphasized; on a pipe, and where `NO_COLOR` is set, it is not. */
export type Style = 'bad' | 'caution' | 'quiet' | 'strong'

/** The terminal, or the pipes, through which the command talks to a person. */
export interface Terminal {
  /** The answer, which a pipe may read. */
  print(text: string | Uint8Array): void
  /**
   * An answer that comes in pieces: no faster than it is read, and no further once the reader is gone. Bytes come from a
   * server: on a screen, control characters are removed from them.
   */
  printAll(pieces: AsyncIterable<string | Uint8Array>): Promise<void>
  /** Words beside the answer. */
  tell(text: string): void
  /** Emphasizes a part of what is going to be printed. */
  paint(style: Style, text: string): string
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
    print: (text) => process.stdout.write(text),
    printAll,
    tell: (text) => process.stderr.write(text),
    paint: (style, text) => styleText(formats[style], text, { stream: process.stdout }),
    startConversation,
    readInput: () => process.stdin,
  }
}

async function printAll(pieces: AsyncIterable<string | Uint8Array>): Promise<void> {
  const { stdout } = process
  const decoder = new TextDecoder()
  for await (const piece of pieces) {
    const isForeign = stdout.isTTY && typeof piece !== 'string'
    const isRoom = stdout.write(isForeign ? stripControls(decoder.decode(piece, { stream: true })) : piece)
    if (!isRoom && stdout.writable) await Promise.race([once(stdout, 'drain'), once(stdout, 'close')])
    if (!stdout.writable) return
  }
}

/** Text without control and format characters, which steer a terminal or turn the direction of writing; lines and tabs stay. */
export function stripControls(text: string): string {
  return text.replace(/(?![\n\t])[\p{Cc}\p{Cf}]/gu, '')
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
      process.stderr.write(question)
      const line = await lines.next()
      return line.done ? undefined : line.value.trim()
    },
    [Symbol.dispose]: () => reader.close(),
  }
}
