import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readdirSync } from 'node:fs'
import type { OwnCommand } from '../host.ts'
import type { Environment } from '../run-process.ts'

/**
 * Starts a process in a session of its own, without any of this process's pipes. It survives when this process, its group or its children
 * are killed, and a reader of this process's output does not wait for it.
 */
export function startDetachedProcess(
  { program, args, argv0 }: OwnCommand,
  { env, platform, directory, output = 'ignored' }: DetachedStart,
): ChildProcess {
  const { stdio, close } = openStdio(platform)
  const [input = 'ignore', own, ...rest] = stdio
  const child = spawn(program, args, {
    argv0,
    env: { ...env },
    cwd: directory,
    detached: true,
    stdio: [input, output === 'read' ? 'pipe' : own, ...rest],
    windowsHide: true,
  })
  close()
  child.unref()
  return child
}

/** The descriptors for a process that keeps none of this process's open. */
interface Stdio {
  /** The descriptors in the form of `spawn`. */
  readonly stdio: readonly ('ignore' | number)[]
  close(): void
}

interface DetachedStart {
  /** The whole environment of the new process. */
  readonly env: Environment
  readonly platform: NodeJS.Platform
  /** The working directory of the new process; by default that of this one. */
  readonly directory?: string
  /** Whether this process reads its output. */
  readonly output?: 'ignored' | 'read'
}

/**
 * Opens the null device for every descriptor of this process. Children inherit the descriptors that a client left open (seen), and a reader
 * that waits for the end of such a pipe would wait for the person. Windows passes on only the given descriptors.
 */
function openStdio(platform: NodeJS.Platform): Stdio {
  const last = platform === 'win32' ? 2 : Math.max(2, ...listDescriptors())
  if (last === 2) return { stdio: ['ignore', 'ignore', 'ignore'], close: () => {} }
  const nothing = openSync('/dev/null', 'r+')
  return { stdio: Array.from({ length: last + 1 }, () => nothing), close: () => closeSync(nothing) }
}

/** Lists the open descriptors of this process; empty if the system has no such folder, so that only the standard streams are replaced. */
function listDescriptors(): number[] {
  try {
    return readdirSync('/dev/fd').map(Number).filter(Number.isInteger)
  } catch {
    return []
  }
}
