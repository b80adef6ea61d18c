import { randomBytes } from 'node:crypto'
import { readAuthorities } from '../../../runtime/network/connect/trust.ts'
import { TokenRefusal } from '../../token-refusal.ts'
import { outliveMs, type ReplayStore, type ReplayStoreReport } from '../replay-store.ts'
import { describeRedisFailure } from './describe-redis-failure.ts'
import { recordInTime } from './record-in-time.ts'
import type { TokenUse } from './record-use.ts'
import { RedisLink } from './redis-link.ts'
import type { RedisSettings } from './redis-settings.ts'
import { UncertainUses } from './uncertain-uses.ts'

/**
 * A store that several verifiers share through Redis or Valkey. It opens although Redis is away, fails closed until it is
 * back, and reports both.
 * @throws {HelperError} for settings that cannot be used: the file of the password or of a certificate authority.
 */
export async function openRedisReplayStore(
  settings: RedisSettings,
  { now, report }: { readonly now: () => number; readonly report: (report: ReplayStoreReport) => void },
): Promise<ReplayStore> {
  await settings.password()
  if (settings.address.place.transport === 'tls') await readAuthorities(settings.network, () => {})
  const link = new RedisLink(settings, report)
  await link.connection().catch(() => undefined) // reported, and tried again
  const uncertain = new UncertainUses()
  return {
    use: (digest, until) => useToken(link, uncertain, settings, { digest, lifeMs: until - now() }),
    isAvailable: () => link.isAvailable(),
    close: async () => link.close(),
  }
}

async function useToken(
  link: RedisLink,
  uncertain: UncertainUses,
  { prefix, waitMs, address }: RedisSettings,
  { digest, lifeMs }: { readonly digest: string; readonly lifeMs: number },
): Promise<'first' | 'again'> {
  const earlier = uncertain.take(digest)
  const use: TokenUse = {
    key: `${prefix}${digest}`,
    value: earlier ?? randomBytes(12).toString('base64url'),
    lifeMs: Math.ceil(Math.max(lifeMs, 0)) + outliveMs, // a duration: the clock of Redis does not matter
    uncertain: earlier !== undefined,
  }
  try {
    return await recordInTime(link, use, waitMs)
  } catch (cause) {
    if (use.uncertain) uncertain.keep(digest, use.value)
    const { message } = describeRedisFailure(cause, address)
    throw new TokenRefusal('replay-store-unavailable', { note: message, cause })
  }
}
