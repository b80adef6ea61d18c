import { styleText } from 'node:util'
import type { Paint } from '../../src/client/simulation/render-timeline.ts'

/** The demo's output: with colours and a progress sign on a terminal, plain text in a pipe. */
export interface Screen extends Disposable {
  readonly paint: Paint
  print(line: string): void
  /** Shows the work in progress on a terminal, until the next line is printed. */
  tellProgress(what: string): void
}

/** Writes to the standard output of this process. */
export function openScreen(): Screen {
  const { stdout } = process
  // A reader that closes the pipe early, such as `head`, is not a failure of the demo.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
  const paint: Paint = (style, text) => styleText(styles[style], text, { stream: stdout })
  let sign: NodeJS.Timeout | undefined
  let turn = 0
  const clearProgress = () => {
    if (!sign) return
    clearInterval(sign)
    sign = undefined
    if (turn > 0) stdout.write(eraseLine)
    turn = 0
  }
  return {
    paint,
    print: (line) => {
      clearProgress()
      stdout.write(`${line}\n`)
    },
    tellProgress: (what) => {
      clearProgress()
      if (!stdout.isTTY) return
      sign = setInterval(() => {
        turn += 1
        stdout.write(`${eraseLine}${paint('quiet', `${frames[turn % frames.length]} ${what} …`)}`)
      }, 80)
    },
    [Symbol.dispose]: clearProgress,
  }
}

const styles = { good: 'green', bad: 'red', caution: 'yellow', quiet: 'gray', strong: 'bold' } as const

const frames = [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏']

/** Moves to the beginning of the line and erases it (ECMA-48, CR and EL). */
const eraseLine = '\r\u001b[K'
