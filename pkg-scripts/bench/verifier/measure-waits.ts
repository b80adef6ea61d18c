import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { BenchPolicy } from './bench-policy.ts'
import { loadCore, type PinnedServer } from './pinned-server.ts'

/** How long requests waited for their answers, in milliseconds from the moment at which each was due. */
interface WaitPercentiles {
  readonly p50: number
  readonly p99: number
  readonly p999: number
  readonly longest: number
}

/** Sends at a constant rate for so many seconds. Every answer has to be a 200. */
export async function measureWaits(
  { url }: PinnedServer,
  { tokensPath }: BenchPolicy,
  { perSec, seconds }: { readonly perSec: number; readonly seconds: number },
): Promise<WaitPercentiles> {
  const program = [process.execPath, join(import.meta.dirname, 'send-at-rate.ts')]
  const args = ['-c', loadCore, ...program, url, tokensPath, String(perSec), String(seconds)]
  const { stdout } = await promisify(execFile)('taskset', args)
  return JSON.parse(stdout)
}
