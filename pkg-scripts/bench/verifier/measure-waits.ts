import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { loadCore, type PinnedServer } from './pinned-server.ts'

/** Sends the requests of a file, with a token a line and possibly an entity tag, at a constant rate. */
export async function measureWaits(
  { url }: PinnedServer,
  requestsPath: string,
  { perSec, seconds, statuses = [200] }: ConstantRate,
): Promise<WaitPercentiles> {
  const program = [process.execPath, join(import.meta.dirname, 'send-at-rate.ts')]
  const args = ['-c', loadCore, ...program, url, requestsPath, String(perSec), String(seconds), statuses.join('|')]
  const { stdout } = await promisify(execFile)('taskset', args)
  return JSON.parse(stdout)
}

/** How long requests waited for their answers, in milliseconds from the time at which each was due. */
interface WaitPercentiles {
  readonly p50: number
  readonly p99: number
  readonly p999: number
  readonly longest: number
}

/** The requests that are sent. */
interface ConstantRate {
  readonly perSec: number
  readonly seconds: number
  /** The statuses that answers may have; 200 if absent. */
  readonly statuses?: readonly number[]
}
