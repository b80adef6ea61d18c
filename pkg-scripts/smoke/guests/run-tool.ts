import { spawnSync } from 'node:child_process'
import { HelperError } from '../../../src/runtime/failure.ts'

/**
 * Runs a program of this system to its end; if it fails, the end of its output is the message of the error.
 * @param hint The way out.
 */
export function runTool(command: readonly string[], hint: string, env = process.env): void {
  const [program = '', ...args] = command
  const { status, stderr, error } = spawnSync(program, args, { env, encoding: 'utf8' })
  if (status === 0) return
  const words = error?.message ?? stderr.trim().split('\n').at(-1)
  throw new HelperError('unavailable', `${program} failed: ${words}`, hint, { cause: error })
}
