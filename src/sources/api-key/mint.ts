import { isPromptAllowed } from '../../contract/context.ts'
import type { Call, MintedToken } from '../../helper/define-helper.ts'
import type { Host } from '../../runtime/host.ts'
import { toWorkspaceHeader } from '../workspace-header.ts'
import { describeExpiryNotice, refuseExpired } from './key/expiry.ts'
import type { ApiKeyOptions } from './key/options.ts'
import type { ApiKeyPlan } from './key/plan.ts'
import { openKeyStore } from './store/open-key-store.ts'
import { readKey } from './store/read-key.ts'

/** Reads a static key. Whatever is known of its end, no end is given, so that it is never written into the cache. */
export async function mintApiKey(
  host: Host,
  options: ApiKeyOptions,
  call: Call,
  { place }: ApiKeyPlan,
): Promise<MintedToken> {
  const prompt = isPromptAllowed(call.context) ? 'allowed' : 'never'
  const store = await openKeyStore(place, { host, program: call.program, prompt })
  const { key, ...life } = await readKey(store, options, call.deadline)
  const now = host.clock.now()
  refuseExpired(life, now, `have another key created, and ${store.hint}`)
  const notice = describeExpiryNotice(life, now)
  // A client would log it, or show a run that went well as one that did not.
  if (notice && call.context === 'terminal') call.warn(`${notice}: have another one created, and ${store.hint}`)
  return {
    token: key,
    expiresAt: undefined,
    facts: {
      ...(place.kind === 'keychain' && { key_name: place.item.account }),
      ...(life.expiresAt && { expires_at: life.expiresAt.toISOString() }),
    },
    headers: toWorkspaceHeader(options),
  }
}
