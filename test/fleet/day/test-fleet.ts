import type { FleetResult } from '../../../src/fleet/fleet-result.ts'
import type { FleetChoice, FleetSettings, FleetSite } from '../../../src/fleet/fleet-settings.ts'

const hourSec = 3600

/** People of one office, with a laptop each. */
export const office: FleetSite = {
  share: 1,
  machine: 'laptop',
  beginsAt: 9 * hourSec,
  beginSpreadSec: 900,
  stays: 8 * hourSec,
  staySpreadSec: 1800,
  sleeps: [{ at: 12 * hourSec, forSec: 2700, spreadSec: 900 }],
}

/** A small fleet whose provider answers everything at once. */
export const calmFleet: FleetSettings = {
  desktops: 200,
  seed: 7,
  warmUpDays: 1,
  sites: [office],
  turnEverySec: 600,
  taskEverySec: undefined,
  taskSpreadSec: 0,
  tokenLifeSec: hourSec,
  provider: { quotaPerSec: undefined, retryAfterSec: undefined, latency: [[0, 0]] },
  outages: [],
  revocations: [],
  refusedPerThousand: 0,
}

export const halfHour: FleetChoice = { ttlSec: 1800, timeoutSec: 60, renewEarly: 0 }

export function summarizeDay({ mints, runs, rescued, waits, ...series }: FleetResult) {
  return {
    mints: { first: sum(mints.first), renewal: sum(mints.renewal), refusal: sum(mints.refusal) },
    requests: sum(series.requests),
    throttled: sum(series.throttled),
    unreachable: sum(series.unreachable),
    late: sum(series.late),
    turns: sum(series.turns),
    rescued: sum(rescued),
    lost: { 'no-credential': sum(series.lost['no-credential']), unauthorized: sum(series.lost.unauthorized) },
    runs: { ...runs },
    waits: [...waits],
  }
}

export function sum(series: Uint32Array): number {
  return series.reduce((total, count) => total + count, 0)
}

export function peak(series: Uint32Array): number {
  return series.reduce((highest, count) => Math.max(highest, count), 0)
}
