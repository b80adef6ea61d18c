import type { Input } from './standard-streams.ts'

/**
 * Reads a line from a terminal without showing it. Line breaks within a pasted text belong to the text, so that the rest of it does
 * not reach the shell.
 * @param signal Gives up, and lets the terminal show typed text again.
 */
export async function readHiddenLine(input: Input, signal: AbortSignal): Promise<HiddenLine> {
  const { promise, resolve } = Promise.withResolvers<HiddenLine>()
  const line = new TypedLine(resolve)
  const decoder = new TextDecoder()
  const onData = (piece: Buffer) => line.type(decoder.decode(piece, { stream: true }))
  const onEnd = () => resolve('ended')
  const ends = ['end', 'close', 'error'] as const
  input.setRawMode?.(true)
  input.on('data', onData)
  for (const end of ends) input.on(end, onEnd)
  signal.addEventListener('abort', onEnd, { once: true })
  try {
    return await promise
  } finally {
    input.off('data', onData)
    // An error that comes later, when the terminal is gone, must not end the program.
    for (const end of ends) if (end !== 'error') input.off(end, onEnd)
    input.setRawMode?.(false)
    input.pause()
  }
}

/** The result of reading a line; `ended`: the terminal was closed, or Ctrl-D pressed. */
type HiddenLine = { readonly text: string } | 'interrupted' | 'ended'

/** Escape sequences, such as those of arrow keys, and the marks around what is pasted. */
const sequences = /\x1b(\[[0-9;?]*[ -/]*[@-~]|O.|.)?/g

/** The line while a person types it. In raw mode the terminal passes every key to the program. */
class TypedLine {
  #text = ''
  readonly #finish: (line: HiddenLine) => void

  constructor(finish: (line: HiddenLine) => void) {
    this.#finish = finish
  }

  type(piece: string): void {
    const keys = piece.replace(sequences, '').replace(/\r\n?/g, '\n')
    const pasted = keys.trimEnd()
    if (pasted.includes('\n')) this.#finish({ text: this.#text + pasted })
    else for (const key of keys) this.#press(key)
  }

  #press(key: string): void {
    if (key === '\n') this.#finish({ text: this.#text })
    else if (key === toControlKey('C')) this.#finish('interrupted')
    else if (key === toControlKey('D')) this.#finish('ended')
    else if (key === toControlKey('U')) this.#text = ''
    else if (key === toControlKey('H') || key === '\x7f') this.#text = [...this.#text].slice(0, -1).join('')
    else if (key >= ' ') this.#text += key
  }
}

function toControlKey(letter: string): string {
  return String.fromCharCode(letter.charCodeAt(0) - 64)
}
