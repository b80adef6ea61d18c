import type { FleetSummary, VersionSummary } from './fleet-summary.ts'
import type { FleetTotals } from './fleet-totals.ts'
import { addToTally, otherWords, type Tally } from './machine-totals.ts'

/** Summarizes every version, the newest first, by the machines whose latest call came from it. */
export function summarizeVersions({ machines, series }: FleetTotals): VersionSummary[] {
  const current: Tally = new Map()
  for (const { version } of machines.values()) addToTally(current, version)
  const calls: Tally = new Map()
  for (const { versions } of series.moments.values())
    for (const [version, count] of versions) addToTally(calls, version, count)
  const names = [...new Set([...calls.keys(), ...current.keys()])].toSorted(compareNewestFirst)
  return names.map((version) => ({
    version,
    machines: current.get(version) ?? 0,
    calls: calls.get(version) ?? 0,
  }))
}

/** Compares versions, newest first; the word for further versions comes last. */
function compareNewestFirst(a: string, b: string): number {
  return Number(a === otherWords) - Number(b === otherWords) || compareVersions(b, a)
}

/** The share of machines that must have a version, or a newer one, before it counts as the fleet's: a smaller share may be a trial. */
const currentShare = 0.1
const fewestCurrent = 2

/**
 * Finds the version with which machines are compared: the newest that at least a tenth of them, and at least two, have or have passed.
 * @param versions All versions, newest first.
 */
export function findCurrentVersion(versions: readonly VersionSummary[]): string | undefined {
  const known = versions.filter(({ version }) => version !== otherWords)
  const all = known.reduce((sum, { machines }) => sum + machines, 0)
  const wanted = Math.min(all, Math.max(fewestCurrent, all * currentShare))
  let sum = 0
  return known.find(({ machines }) => {
    sum += machines
    return sum >= wanted
  })?.version
}

/** Returns whether a version is older than the one with which machines are compared. */
export function isBehind(version: string, current: string | undefined): boolean {
  return current !== undefined && compareVersions(version, current) < 0
}

/** Lists the machines whose latest call came from an older version than the current one, the oldest version first. */
export function summarizeBehind({ machines }: FleetTotals, current: string | undefined): FleetSummary['behind'] {
  return [...machines]
    .filter(([, { version }]) => isBehind(version, current))
    .map(([machine, { version, seenAt }]) => ({ machine, version, seenAt }))
    .toSorted((a, b) => compareVersions(a.version, b.version) || (a.machine < b.machine ? -1 : 1))
}

/** Compares numbers as numbers: 0.10.0 is later than 0.9.0, and 0.9.0-beta.1 is earlier (Semantic Versioning 2.0, section 11). */
function compareVersions(a: string, b: string): number {
  const [releaseA = '', previewA] = a.split(/-(.*)/s)
  const [releaseB = '', previewB] = b.split(/-(.*)/s)
  const byRelease = releaseA.localeCompare(releaseB, 'en', { numeric: true })
  if (byRelease !== 0) return byRelease
  if (previewA === undefined || previewB === undefined)
    return Number(previewB !== undefined) - Number(previewA !== undefined)
  return previewA.localeCompare(previewB, 'en', { numeric: true })
}
