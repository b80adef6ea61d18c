// Starts the first program that can open a browser; `list-openers.ts` has the programs.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { isAbsolute } from 'node:path'
import { readStatus } from '../../runtime/disk.ts'
import { findErrorCode, toOneLine } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import { findProgramFile } from '../../runtime/program/find-program-file.ts'
import type { Environment } from '../../runtime/run-process.ts'
import type { Opener } from './list-openers.ts'

/** Opens a browser with the first program that can. @returns the programs that failed; `undefined` if one succeeded. */
export async function attemptOpeners(
  openers: readonly Opener[],
  env: Environment,
): Promise<readonly FailedOpener[] | undefined> {
  const failed: FailedOpener[] = []
  for (const opener of openers) {
    const problem = await attemptOpener(opener, env)
    if (problem === undefined) return undefined
    failed.push({ program: opener.program, problem })
  }
  return failed
}

/** A program that did not open a browser, and the reason, as the end of a sentence about the program. */
interface FailedOpener {
  readonly program: string
  readonly problem: string
}

const absent = 'does not exist'

/** Returns whether a program is named by its path, so that it is not looked up on PATH. */
const isPath = (program: string) => /[/\\]/.test(program)

/**
 * Finds, without starting anything, why none of the programs can be started; `undefined` if one may. A relative path is not examined,
 * because it depends on the directory in which it is started.
 */
export async function findAbsence(
  openers: readonly Opener[],
  host: Pick<Host, 'env' | 'platform'>,
): Promise<readonly FailedOpener[] | undefined> {
  const found = await Promise.all(
    openers.map(async ({ program }) => {
      const isRelative = isPath(program) && !isAbsolute(program)
      if (isRelative || (await findProgramFile({ name: program }, host))) return undefined
      return { program, problem: (await isFile(program)) ? 'is not a program that you may run' : absent }
    }),
  )
  const failed = found.filter((each) => each !== undefined)
  return failed.length === openers.length ? failed : undefined
}

async function isFile(path: string): Promise<boolean> {
  if (!isAbsolute(path)) return false
  return readStatus(path).then(
    (status) => status.isFile(),
    () => false,
  )
}

/** In characters: how much of a program's path a message shows, because BROWSER may hold anything. Our decision. */
const longestProgram = 200

/**
 * Describes why no browser was opened: the failures of the programs that exist, or otherwise the programs that do not exist. If a command
 * with blanks was tried in several ways, a path is shown whole, and a name without the words after it.
 */
export function describeUnopened(failed: readonly FailedOpener[], browser: string | undefined): string {
  const source = browser ? ' (BROWSER, or the option browser)' : ''
  const started = failed.filter(({ problem }) => problem !== absent)
  if (started.length > 0)
    return `${started.map(({ program, problem }) => `${nameProgram(program)} ${problem}`).join('; ')}${source}`
  const programs = failed.map(({ program }) => program)
  const isShown = (program: string) =>
    isPath(program)
      ? !programs.some((other) => other.startsWith(`${program} `))
      : !programs.some((other) => other !== program && program.startsWith(`${other} `))
  const names = programs.filter(isShown).map(nameProgram)
  const missing =
    names.length === 1 ? `${names[0]} ${absent}` : `${names.slice(0, -1).join(', ')} and ${names.at(-1)} do not exist`
  return `${missing}${source}`
}

function nameProgram(program: string): string {
  return `"${toOneLine(program.slice(0, longestProgram))}"`
}

/**
 * Starts a program in its own session, so that a new browser outlives this process.
 * @returns why it did not open a browser; `undefined` if it did, as far as this process can see.
 */
async function attemptOpener({ program, args }: Opener, env: Environment): Promise<string | undefined> {
  try {
    const child = spawn(program, args, { env: { ...env }, detached: true, stdio: 'ignore', windowsHide: true })
    return await waitForStart(child)
  } catch (error) {
    const code = findErrorCode(error)
    // An existing script without its interpreter has the same code.
    return code === 'ENOENT' && !(await isFile(program)) ? absent : `cannot be run (${code})`
  }
}

async function waitForStart(child: ChildProcess): Promise<string | undefined> {
  const enough = Promise.withResolvers<[number]>()
  const timer = setTimeout(() => enough.resolve([0]), longestStartMs)
  try {
    const [status, signal] = (await Promise.race([once(child, 'exit'), enough.promise])) as [number | null, string?] // as Node documents the event
    if (status === 0) return undefined
    return status === null ? `was ended by ${signal}` : `ended with status ${status}`
  } finally {
    clearTimeout(timer)
    child.unref()
  }
}

/** In milliseconds. A program that runs for longer has not failed: a browser that was not running keeps running. */
const longestStartMs = 3_000
