import { setTimeout as wait } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { toHelperError } from '../../../runtime/failure.ts'
import type { Log } from '../../../verify/server/log.ts'
import { startLooking } from '../../../verify/start-looking.ts'
import { createFindTenant, type Tenant, type Tenants } from '../../../verify/tenants/parse-tenants.ts'
import type { ServedTenants } from '../../../verify/tenants/start-tenant-server.ts'
import type { RunningTenant } from './start-tenant.ts'

/**
 * Starts the tenants of a file, and reads it again every second. A tenant that is added starts, one that is removed ends, and one whose
 * files have other names starts anew; the others do not notice. A file that cannot be used changes nothing, and is logged once.
 */
export async function startFollowingTenants(
  file: string,
  first: Tenants,
  { log, read, start }: FollowingParts,
): Promise<FollowedTenants> {
  let served = { ...(await startAll(first, new Map(), start)), listed: first }
  let seen: FollowedFile = { tenants: first }
  const endings = new Set<Promise<void>>()
  const closing = new AbortController()

  async function look(): Promise<void> {
    const reading = await readAgain(read)
    if (isDeepStrictEqual(reading, seen)) return
    await wait(agreeMs, undefined, { ref: false })
    // If the two differ, somebody is writing, and the next look reads the result.
    if (!isDeepStrictEqual(await readAgain(read), reading) || closing.signal.aborted) return
    seen = reading
    if ('problem' in reading) {
      const message = `${reading.problem}; the earlier tenants stay in force`
      log.tell({ level: 'error', event: 'tenants-refused', message, facts: { hint: reading.hint } })
      return
    }
    const { tenants } = reading
    const isBack = isDeepStrictEqual(tenants, served.listed)
    if (!isBack) await applyTenants(tenants)
    const message = `${file} ${isBack ? 'is in force again' : 'has changed and is in force'}`
    log.tell({ level: 'info', event: 'tenants', message, facts: { tenants: tenants.tenants.length } })
  }

  async function applyTenants(tenants: Tenants): Promise<void> {
    const before = [...served.tenants.values()]
    served = { ...(await startAll(tenants, served.tenants, start)), listed: tenants }
    const after = new Set(served.tenants.values())
    for (const one of before) if (!after.has(one)) end(one)
  }

  /** The decisions that have begun are made first. */
  function end(one: RunningTenant): void {
    const ending = wait(endMs, undefined, { signal: closing.signal })
      .catch(() => {}) // the process ends
      .then(one.close)
      .finally(() => endings.delete(ending))
    endings.add(ending)
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
      await looks.look() // one that has begun
      await Promise.all([...endings, ...[...served.tenants.values()].map((tenant) => tenant.close())])
    },
  }
}

/** The tenants of a file, as it is now. */
interface FollowedTenants {
  readonly served: () => ServedTenants & { readonly tenants: ReadonlyMap<string, RunningTenant> }
  /** Whether the file cannot be used, and the tenants are those of an earlier one. */
  readonly isFileRefused: () => boolean
  /** Looks at once whether the file, or a file of a tenant, has changed. */
  look(): Promise<void>
  close(): Promise<void>
}

interface FollowingParts {
  readonly log: Log
  /** Reads the file again. @throws {HelperError} if it cannot be used. */
  readonly read: () => Promise<Tenants>
  readonly start: (tenant: Tenant) => Promise<RunningTenant>
}

/** The time between two looks. A change counts once two reads agree, with `agreeMs` between them. */
const [intervalMs, agreeMs] = [1_000, 100]

/** How long a tenant that was removed may still ask Redis or a provider about requests that have begun: longer than they wait for either. */
const endMs = 10_000

type FollowedFile = { readonly tenants: Tenants } | { readonly problem: string; readonly hint: string }

async function readAgain(read: () => Promise<Tenants>): Promise<FollowedFile> {
  try {
    return { tenants: await read() }
  } catch (thrown) {
    const { message: problem, hint } = toHelperError(thrown)
    return { problem, hint }
  }
}

/** Every tenant of the file: those that run with the same files already, and those that start. */
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

/** The tenant without its hosts, of which it knows nothing itself. */
function toFiles({ hosts: _, ...files }: Tenant) {
  return files
}
