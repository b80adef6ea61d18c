import { styleText } from 'node:util'
import type { Paint } from '../../src/client/timeline/render-timeline.ts'

/** Where the demo is told: in colours and with a sign of life on a terminal, plain in a pipe. */
export interface Screen extends Disposable {
  readonly paint: Paint
  print(line: string): void
  /** Says on a terminal, until the next line, what takes its time. */
  busy(what: string): void
}

/** The terminal or pipe that this process has. */
export function openScreen(): Screen {
  const { stdout } = process
  // A reader that has seen enough, such as `head`, is no failure of ours.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
  const paint: Paint = (style, text) => styleText(styles[style], text, { stream: stdout })
  let sign: NodeJS.Timeout | undefined
  let turn = 0
  const calm = () => {
    if (!sign) return
    clearInterval(sign)
    sign = undefined
    if (turn > 0) stdout.write(eraseLine)
    turn = 0
  }
  return {
    paint,
    print: (line) => {
      calm()
      stdout.write(`${line}\n`)
    },
    busy: (what) => {
      calm()
      if (!stdout.isTTY) return
      sign = setInterval(() => {
        turn += 1
        stdout.write(`${eraseLine}${paint('quiet', `${frames[turn % frames.length]} ${what} …`)}`)
      }, 80)
    },
    [Symbol.dispose]: calm,
  }
}

const styles = { good: 'green', bad: 'red', caution: 'yellow', quiet: 'gray', strong: 'bold' } as const

const frames = [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏']

/** Back to its beginning, and nothing on it. ECMA-48. */
const eraseLine = '\r\u001b[K'
