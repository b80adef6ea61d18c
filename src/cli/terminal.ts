import { createInterface } from 'node:readline/promises'
import { styleText } from 'node:util'

/** How text is set off; nothing is on a pipe, or where `NO_COLOR` is set. */
export type Style = 'good' | 'bad' | 'caution' | 'quiet' | 'strong'

/** Where the command's words go. */
export interface Terminal {
  /** The answer, which a pipe may read. */
  print(text: string | Uint8Array): void
  /** Words beside the answer. */
  tell(text: string): void
  paint(style: Style, text: string): string
  /** Asks a question where a person can answer; `undefined` elsewhere. */
  ask(question: string): Promise<string | undefined>
  /** Standard input to its end. */
  readInput(): Promise<Uint8Array>
}

const formats = { good: 'green', bad: 'red', caution: 'yellow', quiet: 'gray', strong: 'bold' } as const

/** The terminal or pipe that this process has. */
export function systemTerminal(): Terminal {
  return {
    print: (text) => process.stdout.write(text),
    tell: (text) => process.stderr.write(text),
    paint: (style, text) => styleText(formats[style], text, { stream: process.stdout }),
    ask: askPerson,
    readInput: async () => Buffer.concat(await Array.fromAsync(process.stdin)),
  }
}

async function askPerson(question: string): Promise<string | undefined> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return (await lines.question(question)).trim()
  } finally {
    lines.close()
  }
}
