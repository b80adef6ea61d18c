import type { Readable } from 'node:stream'
import { execa } from 'execa'
import { limits } from '../contract/limits.ts'
import type { Environment } from './environment.ts'

/** A child process to run. */
export interface RunRequest {
  /** A program with its arguments, which on Windows may be quoted already; or a line for the system's shell. */
  readonly command:
    | { readonly program: string; readonly args: readonly string[]; readonly isVerbatim?: boolean }
    | { readonly shell: string }
  readonly env: Environment
  /** The directory in which it runs; without it, this process's own. */
  readonly cwd?: string
  /** Ends the child and everything it started. */
  readonly signal: AbortSignal
  /** Whether this is all that the child would print. Then, or where it has failed, nobody waits for others that hold its pipes. */
  readonly isWhole?: (stdout: Uint8Array) => boolean
  /** Called when the child itself has ended. */
  readonly onExit?: () => void
}

/** How a child process ended. */
export type RunOutcome =
  | { readonly ended: 'not-started'; readonly code: string }
  | { readonly ended: 'exited'; readonly status: number; readonly stdout: Uint8Array; readonly stderr: string }
  | { readonly ended: 'killed'; readonly by: string; readonly stderr: string }
  /** It printed more than is read, on stdout or stderr, and was ended. */
  | { readonly ended: 'flooded' }

/** Runs a child process with captured output; nothing that it started outlives it. */
export async function runProcess(request: RunRequest): Promise<RunOutcome> {
  const child = start(request)
  try {
    return await Promise.race([child.then(toOutcome), waitForEnough(child, request)])
  } finally {
    child.kill(fixedOptions.killSignal) // what it started and left behind
  }
}

const fixedOptions = {
  extendEnv: false,
  stdin: 'ignore',
  encoding: 'buffer',
  reject: false,
  buffer: true,
  stripFinalNewline: false,
  maxBuffer: limits.stdoutBytes,
  killSignal: 'SIGKILL',
  killDescendants: true,
  windowsHide: true,
} as const

function start({ command, env, cwd, signal }: RunRequest) {
  const options = { ...fixedOptions, env, cancelSignal: signal, ...(cwd !== undefined && { cwd }) }
  return 'shell' in command
    ? execa(command.shell, { ...options, shell: true })
    : execa(command.program, command.args, { ...options, windowsVerbatimArguments: command.isVerbatim ?? false })
}

type Child = ReturnType<typeof start>

/** Time for what the child has printed last, in milliseconds. Without others at its pipes their end is seen before. */
const drainMs = 20

/** Resolves when the child itself has ended and has printed enough, although others still hold its pipes. */
function waitForEnough(child: Child, { isWhole, onExit }: RunRequest): Promise<RunOutcome> {
  const printed = collect(child.stdout)
  const said = collect(child.stderr)
  return new Promise((resolve) => {
    child.nodeChildProcess.once('exit', (status) => {
      onExit?.()
      if (status === null) return
      const look = () => {
        const stdout = Buffer.concat(printed)
        if (isWhole === undefined || (status === 0 && !isWhole(stdout))) return
        resolve({ ended: 'exited', status, stdout, stderr: tail(Buffer.concat(said)) })
      }
      setTimeout(look, drainMs)
      child.stdout.on('data', look)
    })
  })
}

function collect(stream: Readable): Buffer[] {
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  return chunks
}

function toOutcome(result: Awaited<Child>): RunOutcome {
  // A child that printed too much may also have an exit status of its own, because its pipe was closed.
  if (result.isMaxBuffer) return { ended: 'flooded' }
  if (result.exitCode !== undefined)
    return { ended: 'exited', status: result.exitCode, stdout: result.stdout, stderr: tail(result.stderr) }
  if (result.signal !== undefined) return { ended: 'killed', by: result.signal, stderr: tail(result.stderr) }
  return { ended: 'not-started', code: result.code ?? 'unknown' }
}

function tail(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes.subarray(-limits.stderrTailBytes))
}
