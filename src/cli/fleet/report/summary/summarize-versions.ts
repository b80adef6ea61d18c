import type { FleetTotals } from '../totals/fleet-totals.ts'
import { addToTally, otherWords, type Tally } from '../totals/tally.ts'
import type { FleetSummary, VersionSummary } from './fleet-summary.ts'

/** Every version, the newest first, by the machines whose latest call was of it. */
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

/** What stands for further versions is not the newest. */
function compareNewestFirst(a: string, b: string): number {
  return Number(a === otherWords) - Number(b === otherWords) || compareVersions(b, a)
}

/** Machines whose latest call was of an older version than the newest, the oldest version first. */
export function summarizeBehind({ machines }: FleetTotals, newest: string | undefined): FleetSummary['behind'] {
  return [...machines]
    .filter(([, { version }]) => version !== newest)
    .map(([machine, { version, seenAt }]) => ({ machine, version, seenAt }))
    .toSorted((a, b) => compareVersions(a.version, b.version) || (a.machine < b.machine ? -1 : 1))
}

/** Numbers as numbers: 0.10.0 is later than 0.9.0, and 0.9.0-beta.1 earlier (Semantic Versioning 2.0, section 11). */
export function compareVersions(a: string, b: string): number {
  const [releaseA = '', previewA] = a.split(/-(.*)/s)
  const [releaseB = '', previewB] = b.split(/-(.*)/s)
  const byRelease = releaseA.localeCompare(releaseB, 'en', { numeric: true })
  if (byRelease !== 0) return byRelease
  if (previewA === undefined || previewB === undefined)
    return Number(previewB !== undefined) - Number(previewA !== undefined)
  return previewA.localeCompare(previewB, 'en', { numeric: true })
}
