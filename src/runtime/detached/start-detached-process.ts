import { type ChildProcess, spawn } from 'node:child_process'
import type { Environment } from '../environment.ts'
import type { OwnCommand } from '../host.ts'
import { openStdio } from './open-stdio.ts'

/**
 * Starts a process in a session of its own and with none of our pipes. It survives when this process, its group or its children
 * are killed, and nobody who waits for the end of our output waits for it.
 * @param env Its whole environment.
 * @param directory Where it works; without it, where this process does.
 */
export function startDetachedProcess(
  { program, args, argv0 }: OwnCommand,
  env: Environment,
  platform: NodeJS.Platform,
  directory?: string,
): ChildProcess {
  const { stdio, close } = openStdio(platform)
  const child = spawn(program, args, {
    argv0,
    env: { ...env },
    cwd: directory,
    detached: true,
    stdio: stdio === 'ignore' ? stdio : [...stdio],
    windowsHide: true,
  })
  close()
  child.unref()
  return child
}
