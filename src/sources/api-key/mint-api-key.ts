import type { Call, MintedToken } from '../../helper/define-helper.ts'
import type { Host } from '../../runtime/host.ts'
import { toWorkspaceHeader } from '../workspace-header.ts'
import type { ApiKeyOptions } from './api-key-options.ts'
import { describeExpiryNotice, refuseExpired, toReplaceHint } from './key-expiry.ts'
import { openKeyStore } from './open-key-store.ts'
import type { ApiKeyPlan } from './plan-api-key.ts'
import { readKey } from './read-key.ts'

/** Reads a static key. It returns no expiry, even if one is known, so that the key is never written to the cache. */
export async function mintApiKey(
  host: Host,
  options: ApiKeyOptions,
  call: Call,
  { location }: ApiKeyPlan,
): Promise<MintedToken> {
  const store = await openKeyStore(location, host, call)
  const { key, ...life } = await readKey(store, options, call.deadline)
  const now = host.clock.now()
  refuseExpired(life, now, toReplaceHint(store))
  const notice = describeExpiryNotice(life, now)
  // Only for a person, because a client may show a run with a warning as a failed one.
  if (notice && call.context === 'terminal') call.warn(`${notice}: ${toReplaceHint(store)}`)
  return {
    token: key,
    expiresAt: undefined,
    facts: {
      ...(location.kind === 'keychain' && { key_name: location.item.account }),
      ...(life.expiresAt && { expires_at: life.expiresAt.toISOString() }),
    },
    headers: toWorkspaceHeader(options),
  }
}
