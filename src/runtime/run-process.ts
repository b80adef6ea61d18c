import type { Readable } from 'node:stream'
import { execa } from 'execa'
import { limits } from '../contract/limits.ts'

/** How a child process ended. It has a stdout only if it exited by itself. */
export type RunOutcome =
  | { readonly ended: 'not-started'; readonly code: string }
  | { readonly ended: 'exited'; readonly status: number; readonly stdout: Uint8Array; readonly stderr: string }
  | { readonly ended: 'killed'; readonly by: string; readonly stderr: string }
  /** The child printed too much on stdout or stderr, and was ended. */
  | { readonly ended: 'flooded' }

/** The message's words for a child that ended `flooded`, after its name. */
export const floodProblem = `printed more than ${limits.stdoutBytes / 1024 / 1024} MiB, and was ended`

/** Runs a child process with captured output; no process that it started outlives it. */
export async function runProcess(request: RunRequest): Promise<RunOutcome> {
  const child = start(request)
  using abandoned = waitForAbandoned(request.signal)
  try {
    return await Promise.race([child.then(toOutcome), waitForEnough(child, request), abandoned.outcome])
  } finally {
    child.kill(fixedOptions.killSignal) // ends the processes that the child left behind
    // A process that it started in a session of its own may hold the pipes, which would keep this process running.
    for (const stream of [child.stdout, child.stderr]) stream.destroy()
  }
}

/** A child process to run to its end, and the bounds within which it runs. */
interface RunRequest {
  /** A program with its arguments, which may already be quoted on Windows; or a line for the system's shell. */
  readonly command:
    | {
        readonly program: string
        readonly args: readonly string[]
        readonly argv0?: string
        readonly isVerbatim?: boolean
      }
    | { readonly shell: string }
  readonly env: Environment
  /** The stdin of the child; empty by default. */
  readonly input?: string
  /** The directory in which it runs; by default this process's own. */
  readonly cwd?: string
  /** Ends the child and everything it started. */
  readonly signal: AbortSignal
  /** Whether stdout is complete. If it is, or if the child has failed, the run does not wait for other processes that hold its pipes. */
  readonly isWhole?: (stdout: Uint8Array) => boolean
  /** Called when the child itself has ended. */
  readonly onExit?: () => void
}

const fixedOptions = {
  extendEnv: false,
  encoding: 'buffer',
  reject: false,
  buffer: true,
  stripFinalNewline: false,
  maxBuffer: limits.stdoutBytes,
  killSignal: 'SIGKILL',
  killDescendants: true,
  windowsHide: true,
} as const

function start({ command, env, input, cwd, signal }: RunRequest) {
  const stdin = input === undefined ? ({ stdin: 'ignore' } as const) : { input }
  const options = { ...fixedOptions, ...stdin, env, cancelSignal: signal, ...(cwd !== undefined && { cwd }) }
  return 'shell' in command
    ? execa(command.shell, { ...options, shell: true })
    : execa(command.program, command.args, {
        ...options,
        ...(command.argv0 !== undefined && { argv0: command.argv0 }),
        windowsVerbatimArguments: command.isVerbatim ?? false,
      })
}

type Child = ReturnType<typeof start>

/** Resolves when the child was killed and a process that it started in a session of its own still holds its pipes. */
function waitForAbandoned(signal: AbortSignal): Disposable & { readonly outcome: Promise<RunOutcome> } {
  const { promise, resolve } = Promise.withResolvers<RunOutcome>()
  let timer: NodeJS.Timeout | undefined
  const giveUp = () => resolve({ ended: 'killed', by: fixedOptions.killSignal, stderr: '' })
  const onAbort = () => {
    timer = setTimeout(giveUp, endMs)
  }
  signal.addEventListener('abort', onAbort, { once: true })
  return {
    outcome: promise,
    [Symbol.dispose]: () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    },
  }
}

/** In milliseconds: the time in which the end of a killed child becomes visible. Our decision. */
const endMs = 500

function toOutcome(result: Awaited<Child>): RunOutcome {
  // A child that printed too much may also have an exit status of its own, because its pipe was closed.
  if (result.isMaxBuffer) return { ended: 'flooded' }
  if (result.exitCode !== undefined)
    return { ended: 'exited', status: result.exitCode, stdout: result.stdout, stderr: decodeTail(result.stderr) }
  if (result.signal !== undefined) return { ended: 'killed', by: result.signal, stderr: decodeTail(result.stderr) }
  return { ended: 'not-started', code: result.code ?? 'unknown' }
}

/** Resolves when the child itself has ended and has printed enough, although other processes still hold its pipes. */
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
        resolve({ ended: 'exited', status, stdout, stderr: decodeTail(Buffer.concat(said)) })
      }
      setTimeout(look, drainMs)
      child.stdout.on('data', look)
    })
  })
}

/** In milliseconds: the time for the child's last output. If no other process holds its pipes, they end earlier. Our decision. */
const drainMs = 20

function collect(stream: Readable): Buffer[] {
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  return chunks
}

function decodeTail(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes.subarray(-limits.stderrTailBytes))
}

/** Environment variables by name; `undefined` for one that is not set. */
export type Environment = Readonly<Record<string, string | undefined>>
