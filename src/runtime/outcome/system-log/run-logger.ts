import { spawn } from 'node:child_process'
import type { Deadline } from '../../deadline.ts'
import { HelperError } from '../../failure.ts'

/** One run of `logger`, the system's own program for that. */
export interface LoggerRun {
  readonly program: string
  readonly args: readonly string[]
  /** What it reads on stdin: the arguments of a process can be seen by every user. */
  readonly input: string
}

/**
 * Runs `logger` within a deadline, and ends it where it hangs.
 * @throws {HelperError} `unavailable` where it fails or is missing; `late`.
 */
export async function runLogger({ program, args, input }: LoggerRun, deadline: Deadline): Promise<void> {
  const end = await deadline.during('program', program, ({ signal }) => {
    const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'ignore'], env: {}, signal, killSignal: 'SIGKILL' })
    child.stdin.on('error', () => undefined) // it has ended, and how is seen below
    child.stdin.end(input)
    return new Promise<string | undefined>((resolve) => {
      child.on('error', ({ code }: NodeJS.ErrnoException) => resolve(`could not be started (${code})`))
      child.on('exit', (status, by) => resolve(status === 0 ? undefined : `ended with ${status ?? by}`))
    })
  })
  if (end !== undefined) throw new HelperError('unavailable', `${program} ${end}`, `see what it says: ${program} test`)
}
