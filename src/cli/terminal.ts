import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import { styleText } from 'node:util'
import { exitStatus, HelperError, renderFailure } from '../runtime/failure.ts'
import { programName } from './program-name.ts'

/** How printed text is set off; nothing is on a pipe, or where `NO_COLOR` is set. */
export type Style = 'bad' | 'caution' | 'quiet' | 'strong'

/** Where the command's words go. */
export interface Terminal {
  /** The answer, which a pipe may read. */
  print(text: string | Uint8Array): void
  /**
   * An answer that comes in pieces: no faster than it is read, and no further once the reader has gone. Bytes are somebody
   * else's: a screen gets of them what does not steer it.
   */
  printAll(pieces: AsyncIterable<string | Uint8Array>): Promise<void>
  /** Words beside the answer. */
  tell(text: string): void
  /** Sets off a part of what is going to be printed. */
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
export function systemTerminal(): Terminal {
  process.stdout.on('error', reportLostAnswer)
  process.stderr.on('error', () => {}) // nobody reads it: there is no other place to say so
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
    const isRoom = stdout.write(isForeign ? withoutControls(decoder.decode(piece, { stream: true })) : piece)
    if (!isRoom && stdout.writable) await Promise.race([once(stdout, 'drain'), once(stdout, 'close')])
    if (!stdout.writable) return
  }
}

/** Text without what steers a terminal or turns the direction of writing; lines and tabs stay. */
export function withoutControls(text: string): string {
  return text.replace(/(?![\n\t])[\p{Cc}\p{Cf}]/gu, '')
}

/** A reader that has seen enough, such as `head`, is no failure; a full disk is. */
function reportLostAnswer({ code }: NodeJS.ErrnoException): void {
  if (code === 'EPIPE') return
  const failure = new HelperError('refused', `standard output cannot be written (${code})`, 'write it elsewhere')
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
