import { spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { toBundlePath } from '../../pkg-scripts/tree.ts'

/** The part of a call's 18 s that the runs may take together, in milliseconds; the rest is for the processes that serve them. */
const shareMs = 9_000
/** A run that mints or renews takes about that many times as long as one that prints its version. */
const runsOfVersion = 3

let versionMs: number | undefined

/**
 * Counts how many runs of a helper this machine can end at once in the time of one call: the wanted number on a usual machine, fewer on one
 * that is so slow or busy that the deadline of a call would end them. What is tested of many runs holds for a dozen too.
 */
export function countAtOnce(wanted: number): number {
  versionMs ??= measureVersion()
  const fitting = Math.floor((shareMs * availableParallelism()) / (runsOfVersion * versionMs))
  return Math.max(12, Math.min(wanted, fitting))
}

/** Measures the median of five runs, one after the other. */
function measureVersion(): number {
  const times = Array.from({ length: 5 }, () => {
    const begin = performance.now()
    spawnSync(process.execPath, [toBundlePath('oidc-token'), '--version'])
    return performance.now() - begin
  })
  return times.toSorted((one, other) => one - other)[2]!
}
