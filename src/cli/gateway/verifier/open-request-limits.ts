import { HelperError } from '../../../runtime/failure.ts'
import type { Host } from '../../../runtime/host.ts'
import type { NetworkSettings } from '../../../runtime/network/settings.ts'
import type { Policy } from '../../../verify/policy/policy.ts'
import type { ReplayStoreReport } from '../../../verify/replay/memory-replay-store.ts'
import { parseRedisAddress, readRedisPassword } from '../../../verify/replay/redis-address.ts'
import { createRequestLimits, type RequestLimits, type SharedRates } from '../../../verify/request-limits.ts'
import type { Log } from '../../../verify/server/log.ts'
import { type PolicyFlags, unnamedRedisHint, type VerifierFlags } from './verifier-flags.ts'

/**
 * Opens the limits of the policy, in the place that the flags name.
 * @throws {HelperError} `usage` for a limit of addresses that the gateway does not state, and for counts in Redis without a Redis; a Redis
 * that cannot be reached is only logged.
 */
export async function openRequestLimits(
  flags: PolicyFlags & AddressFlags,
  { host, network, policy, report }: LimitedParts,
): Promise<RequestLimits & { close(): void }> {
  if (hasUntoldAddresses(policy(), flags)) throw new HelperError('usage', untoldAddresses, addressHint)
  const shared = flags.limits === 'redis' ? await openShared(flags, { host, network, report }) : undefined
  return { ...createRequestLimits({ policy, now: host.clock.now, shared }), close: () => shared?.close() }
}

/** The flags by which a server gets the addresses of clients. */
type AddressFlags = Partial<Pick<VerifierFlags, 'requestFrom' | 'grpcListen'>>

interface LimitedParts {
  readonly host: Pick<Host, 'clock' | 'env'>
  readonly network: NetworkSettings
  readonly policy: () => Policy
  readonly report: (report: ReplayStoreReport) => void
}

async function openShared(
  { redis, redisPasswordFile, redisPrefix }: PolicyFlags,
  { host, network, report }: Pick<LimitedParts, 'host' | 'network' | 'report'>,
): Promise<SharedRates> {
  if (redis === undefined)
    throw new HelperError('usage', 'limits that are counted in Redis need a Redis', unnamedRedisHint)
  const { openRedisRates, redisRateWaitMs, toRatePrefix } = await import('../../../verify/redis-rates.ts')
  const password = () => readRedisPassword(redisPasswordFile, host.env)
  const prefix = toRatePrefix(redisPrefix)
  return openRedisRates(
    { address: parseRedisAddress(redis), password, network, prefix, waitMs: redisRateWaitMs },
    report,
  )
}

/** Logs that a limit of a new policy has no effect. */
export function tellUntoldAddresses(log: Log, policy: Policy, flags: AddressFlags): void {
  if (!hasUntoldAddresses(policy, flags)) return
  log.tell({ level: 'warning', event: 'limits', message: untoldAddresses, facts: { hint: addressHint } })
}

function hasUntoldAddresses({ limits }: Policy, { requestFrom, grpcListen }: AddressFlags): boolean {
  return limits?.addresses !== undefined && requestFrom !== 'x-forwarded' && grpcListen === undefined
}

const untoldAddresses = 'limits.addresses of the policy has no effect: nobody tells the address of the client'
const addressHint =
  'have the gateway state it in X-Forwarded-For, as the recipes do, and name that: --request-from x-forwarded'
