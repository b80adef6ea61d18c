import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { resolve } from 'node:path'
import { HelperError } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import { findProgramFile } from '../../runtime/program/find-program-file.ts'
import type { Environment } from '../../runtime/run-process.ts'
import { type LaunchCommand, planLaunch } from '../launch/launch-command.ts'

/** A program that the person has typed. */
export interface TypedProgram {
  readonly name: string
  readonly args: readonly string[]
}

/**
 * Resolves how to start a program: by its path, else by its name on PATH. On Windows a script for `cmd.exe` or PowerShell is started as the
 * desktop client would.
 * @throws {HelperError} `not-configured` for a missing program, `usage` for arguments that such a script cannot receive.
 */
export async function resolveClientProgram(
  { name, args }: TypedProgram,
  host: Pick<Host, 'env' | 'platform'>,
): Promise<LaunchCommand> {
  const found = await findProgramFile({ name: /[\\/]/.test(name) ? resolve(name) : name }, host)
  if (!found)
    throw new HelperError('not-configured', `there is no program ${name}`, 'install it, or write its full path')
  const { file } = found
  if (host.platform !== 'win32' || !/\.(cmd|bat|ps1)$/i.test(file)) return { file, args }
  const launched = planLaunch({ commandWindows: file, args }, host.platform)
  if ('command' in launched) return launched.command
  throw new HelperError(
    'usage',
    `${file} is a script: ${launched.problem}`,
    'write another argument, or name the program that the script starts',
  )
}

/** A running client, which uses the terminal. */
interface StartedClient {
  send(signal: NodeJS.Signals): void
  /** Its exit status, or 128 plus the number of the signal that ended it, as in shells. */
  readonly ended: Promise<number>
}

/**
 * Starts a client on the terminal of this process.
 * @throws {HelperError} `not-configured` if the system does not start it.
 */
export async function startKeyedClient(
  { file, args, isVerbatim }: LaunchCommand,
  env: Environment,
): Promise<StartedClient> {
  const child = spawn(file, args, { env: { ...env }, stdio: 'inherit', windowsVerbatimArguments: isVerbatim ?? false })
  const ended = waitForEnd(child)
  const started = new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', (cause: NodeJS.ErrnoException) => {
      const message = `${file} cannot be started (${cause.code ?? 'unknown'})`
      reject(new HelperError('not-configured', message, 'check that it is a program for this machine', { cause }))
    })
  })
  await started
  return { send: (signal) => void child.kill(signal), ended }
}

function waitForEnd(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once('exit', (status, signal) => resolve(status ?? 128 + constants.signals[signal ?? 'SIGKILL']))
  })
}

/**
 * Creates the variables that keep a client from sending requests to this machine through a proxy; empty without a proxy. Clients read either
 * spelling.
 */
export function createProxyExemption(env: Environment): Environment {
  const names = Object.keys(env).filter((name) => /^(https?|all)_proxy$/i.test(name) && env[name])
  if (names.length === 0) return {}
  const given = env.no_proxy || env.NO_PROXY
  const list = given ? `${given},127.0.0.1` : '127.0.0.1'
  return { NO_PROXY: list, no_proxy: list }
}
