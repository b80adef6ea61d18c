import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** An exact package of the npm registry. */
export interface PinnedPackage {
  readonly packageName: string
  readonly version: string
  /** `sha512-` and the digest of the packed file, as in `package-lock.json`. */
  readonly integrity: string
}

/** The pauses after which a short outage of the registry is over. */
export const registryPausesMs = [2_000, 10_000, 30_000]

/**
 * Returns the packed file of a package, after verifying its digest. npm downloads it, with the person's registry and proxy, and its cache
 * is shared by all trees, so that a second build downloads nothing.
 * @param pausesMs The pauses before each further attempt.
 * @throws if npm fails in every attempt, and at once for another digest.
 */
export async function downloadPackage(
  { packageName, version, integrity }: PinnedPackage,
  pausesMs: readonly number[],
): Promise<Buffer> {
  const packed = await packPatiently(`${packageName}@${version}`, pausesMs)
  const found = `sha512-${createHash('sha512').update(packed).digest('base64')}`
  if (found !== integrity) throw new Error(`${packageName}@${version} is not what package-lock.json pins: ${found}`)
  return packed
}

async function packPatiently(name: string, [pauseMs, ...further]: readonly number[]): Promise<Buffer> {
  const packed = runPack(name)
  if (!(packed instanceof Error)) return packed
  if (pauseMs === undefined) throw packed
  console.error(`${packed.message.trim()}\ntrying again in ${pauseMs / 1000} s`)
  await sleep(pauseMs)
  return packPatiently(name, further)
}

function runPack(name: string): Buffer | Error {
  const place = mkdtempSync(join(tmpdir(), 'download-'))
  try {
    const args = ['pack', name, '--prefer-offline', '--loglevel=error', '--pack-destination', place]
    // npm is a batch file on Windows.
    const options = { encoding: 'utf8', shell: process.platform === 'win32' } as const
    const { status, stderr, error } = spawnSync('npm', args, options)
    const [file] = readdirSync(place)
    if (status === 0 && file) return readFileSync(join(place, file))
    return new Error(`npm pack ${name} failed: ${stderr || error?.message}`, { cause: error })
  } finally {
    rmSync(place, { recursive: true })
  }
}
