import { limits } from '../contract/limits.ts'
import type { Environment } from './environment.ts'

/** A child process to run. */
export interface RunRequest {
  /** A program with its arguments, or a line for the system's shell. */
  readonly command: { readonly program: string; readonly args: readonly string[] } | { readonly shell: string }
  readonly env: Environment
  /** Ends the child and everything it started. */
  readonly signal: AbortSignal
}

/** How a child process ended. */
export type RunOutcome =
  | { readonly ended: 'not-started'; readonly code: string }
  | { readonly ended: 'exited'; readonly status: number; readonly stdout: Uint8Array; readonly stderr: string }
  | { readonly ended: 'killed'; readonly by: string }

/** Runs a child process with captured output; nothing that it started outlives it. */
export type Run = (request: RunRequest) => Promise<RunOutcome>

/** {@link Run} on this system. The library is loaded on use, because a call that is served from the cache needs none. */
export const runProcess: Run = async ({ command, env, signal }) => {
  const { execa } = await import('execa')
  const options = {
    env,
    extendEnv: false,
    stdin: 'ignore',
    encoding: 'buffer',
    reject: false,
    buffer: true,
    stripFinalNewline: false,
    maxBuffer: limits.stdoutBytes,
    cancelSignal: signal,
    killSignal: 'SIGKILL',
    killDescendants: true,
    windowsHide: true,
  } as const
  const result =
    'shell' in command
      ? await execa(command.shell, { ...options, shell: true })
      : await execa(command.program, command.args, options)
  // A child that printed too much may also have an exit status of its own, because its pipe was closed.
  if (result.isMaxBuffer) return { ended: 'killed', by: options.killSignal }
  if (result.exitCode !== undefined)
    return { ended: 'exited', status: result.exitCode, stdout: result.stdout, stderr: tail(result.stderr) }
  if (result.signal !== undefined) return { ended: 'killed', by: result.signal }
  return { ended: 'not-started', code: result.code ?? 'unknown' }
}

function tail(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes.subarray(-limits.stderrTailBytes))
}
