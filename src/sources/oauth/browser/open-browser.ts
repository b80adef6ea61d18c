import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Environment } from '../../../runtime/environment.ts'
import type { Opener } from './list-openers.ts'

/** In milliseconds. A program that runs for longer has not failed: a browser that was not running stays. */
const longestStartMs = 3_000

/** Opens a browser with the first program that can. @returns whether one could. */
export async function openBrowser(openers: readonly Opener[], env: Environment): Promise<boolean> {
  for (const opener of openers) if (await attemptOpener(opener, env)) return true
  return false
}

/** In a session of its own, so that a browser that was not running outlives whoever opened it. */
async function attemptOpener({ program, args }: Opener, env: Environment): Promise<boolean> {
  try {
    const child = spawn(program, args, { env: { ...env }, detached: true, stdio: 'ignore', windowsHide: true })
    return await waitForStart(child)
  } catch {
    return false // there is no such program
  }
}

async function waitForStart(child: ChildProcess): Promise<boolean> {
  const enough = Promise.withResolvers<[number]>()
  const timer = setTimeout(() => enough.resolve([0]), longestStartMs)
  try {
    const [status] = await Promise.race([once(child, 'exit'), enough.promise])
    return status === 0
  } finally {
    clearTimeout(timer)
    child.unref()
  }
}
