// Starts and ends tenants as their file changes; `start-tenant.ts` opens each.

import { setTimeout as wait } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { toHelperError } from '../../../runtime/failure.ts'
import { describeInForce, type Log } from '../../../verify/server/log.ts'
import { startLooking } from '../../../verify/start-looking.ts'
import type { ServedTenants } from '../../../verify/tenants/start-tenant-server.ts'
import { createFindTenant, type Tenant, type Tenants } from '../../../verify/tenants/tenants-file.ts'
import type { RunningTenant } from './start-tenant.ts'

/**
 * Starts the tenants of a file, and reads the file again every second. A new tenant starts, a removed one ends, and a tenant with other
 * file names restarts; the others are not affected. A file that cannot be used changes nothing, and is logged once.
 */
export async function startFollowingTenants(
  file: string,
  first: Tenants,
  { log, read, start }: FollowingParts,
): Promise<FollowedTenants> {
  let served = { ...(await startAll(first, new Map(), start)), listed: first }
  let seen: FollowedFile = { tenants: first }
  const closing = new AbortController()
  const endings = createEndings(closing.signal)

  async function look(): Promise<void> {
    const reading = await readAgain(read)
    if (isDeepStrictEqual(reading, seen)) return
    await wait(agreeMs, undefined, { ref: false })
    // If the two differ, the file is being written, and the next check reads the result.
    if (!isDeepStrictEqual(await readAgain(read), reading) || closing.signal.aborted) return
    seen = reading
    if ('problem' in reading) return tellRefused(log, reading)
    const { tenants } = reading
    const isBack = isDeepStrictEqual(tenants, served.listed)
    if (!isBack) await applyTenants(tenants)
    const message = describeInForce(file, isBack ? 'recovered' : 'replaced')
    log.tell({ level: 'info', event: 'tenants', message, facts: { tenants: tenants.tenants.length } })
  }

  async function applyTenants(tenants: Tenants): Promise<void> {
    const before = [...served.tenants.values()]
    served = { ...(await startAll(tenants, served.tenants, start)), listed: tenants }
    const after = new Set(served.tenants.values())
    for (const one of before) if (!after.has(one)) endings.begin(one)
  }

  const looks = startLooking(look, intervalMs)
  return {
    served: () => served,
    isFileRefused: () => 'problem' in seen,
    async look() {
      await looks.look()
      await Promise.all([...served.tenants.values()].map((tenant) => tenant.look()))
    },
    async close() {
      looks.close()
      closing.abort()
      await looks.look() // waits for a check in progress
      await Promise.all([...endings.pending, ...[...served.tenants.values()].map((tenant) => tenant.close())])
    },
  }
}

/** The tenants of the present file. */
interface FollowedTenants {
  readonly served: () => ServedTenants & { readonly tenants: ReadonlyMap<string, RunningTenant> }
  /** Whether the file cannot be used, so that an earlier one is in force. */
  readonly isFileRefused: () => boolean
  /** Checks at once whether the file, or a file of a tenant, has changed. */
  look(): Promise<void>
  close(): Promise<void>
}

interface FollowingParts {
  readonly log: Log
  /** Reads the file again. @throws {HelperError} if it cannot be used. */
  readonly read: () => Promise<Tenants>
  readonly start: (tenant: Tenant) => Promise<RunningTenant>
}

/** The time between two checks. A change takes effect after two equal reads with `agreeMs` between them. */
const [intervalMs, agreeMs] = [1_000, 100]

type FollowedFile = { readonly tenants: Tenants } | { readonly problem: string; readonly hint: string }

/** Starts the tenants that do not run with the same files yet, and returns all tenants of the file. */
async function startAll(tenants: Tenants, running: ReadonlyMap<string, RunningTenant>, start: FollowingParts['start']) {
  const all = await Promise.all(
    tenants.tenants.map(async (tenant) => {
      const one = running.get(tenant.name)
      const isSame = one && isDeepStrictEqual(toFiles(one.tenant), toFiles(tenant))
      return [tenant.name, isSame ? one : await start(tenant)] as const
    }),
  )
  return { tenants: new Map(all), findTenant: createFindTenant(tenants) }
}

/** Ends tenants after their pending decisions. */
function createEndings(signal: AbortSignal) {
  const pending = new Set<Promise<void>>()
  return {
    pending,
    begin({ close }: RunningTenant): void {
      const ending = wait(endMs, undefined, { signal })
        .catch(() => {}) // aborted: the process ends
        .then(close)
        .finally(() => pending.delete(ending))
      pending.add(ending)
    },
  }
}

/** How long the pending decisions of a removed tenant may still use Redis or a provider: longer than they wait for either. */
const endMs = 10_000

async function readAgain(read: () => Promise<Tenants>): Promise<FollowedFile> {
  try {
    return { tenants: await read() }
  } catch (thrown) {
    const { message: problem, hint } = toHelperError(thrown)
    return { problem, hint }
  }
}

function tellRefused(log: Log, { problem, hint }: Extract<FollowedFile, { problem: string }>): void {
  const message = `${problem}; the earlier tenants stay in force`
  log.tell({ level: 'error', event: 'tenants-refused', message, facts: { hint } })
}

/** Returns the tenant without its hosts, which it does not need itself. */
function toFiles({ hosts: _, ...files }: Tenant) {
  return files
}
