import { execFile } from 'node:child_process'
import { win32 } from 'node:path'
import { promisify } from 'node:util'
import { readText } from '../../../runtime/disk.ts'
import { findProcessId, type Host } from '../../../runtime/host.ts'
import type { BrowserFacts } from './detect-browser.ts'

/**
 * Asks the system for what {@link BrowserFacts} need, on use only: on Windows and macOS that takes a process. It is a tool of the
 * system that starts no others, so that no library is needed to end it.
 */
export async function readBrowserFacts(
  host: Pick<Host, 'env' | 'platform'>,
  signal: AbortSignal,
): Promise<BrowserFacts> {
  const { env, platform } = host
  const [kernel, session] = await Promise.all([
    platform === 'linux' ? readText('/proc/version').catch(() => '') : '',
    readSession(host, signal),
  ])
  return { env, platform, kernel, session }
}

async function readSession(
  { env, platform }: Pick<Host, 'env' | 'platform'>,
  signal: AbortSignal,
): Promise<BrowserFacts['session']> {
  const question = questions[platform]?.(env)
  if (!question) return 'unknown'
  const { program, args, parse } = question
  try {
    const { stdout } = await promisify(execFile)(program, args, {
      env,
      signal,
      killSignal: 'SIGKILL',
      windowsHide: true,
    })
    return parse(stdout)
  } catch (error) {
    if (signal.aborted) throw error
    return 'unknown'
  }
}

interface Question {
  readonly program: string
  readonly args: readonly string[]
  parse(answer: string): BrowserFacts['session']
}

const questions: Partial<Record<NodeJS.Platform, (env: Host['env']) => Question>> = {
  darwin: () => ({ program: '/bin/launchctl', args: ['managername'], parse: parseManagerName }),
  win32: (env) => ({
    program: win32.join(env.SystemRoot ?? 'C:\\Windows', 'System32', 'tasklist.exe'),
    args: ['/fo', 'csv', '/nh', '/fi', `PID eq ${findProcessId()}`],
    parse: parseTaskList,
  }),
}

/** What `launchctl managername` says: `Aqua` is the session with windows; `Background`, `System` and others have none. */
export function parseManagerName(answer: string): BrowserFacts['session'] {
  const name = answer.trim()
  if (name === '') return 'unknown'
  return name === 'Aqua' ? 'graphic' : 'none'
}

/** One row of `tasklist /fo csv`: name, process, name of the session, its number. Services run in session 0, which nobody sees. */
export function parseTaskList(answer: string): BrowserFacts['session'] {
  const number = /^"[^"]*","\d+","[^"]*","(\d+)"/m.exec(answer)?.[1]
  if (number === undefined) return 'unknown'
  return number === '0' ? 'none' : 'graphic'
}
