import type { NetworkCall } from '../../helper/define-helper.ts'
import type { Observation } from '../../helper/diagnosis.ts'
import type { Host } from '../../runtime/host.ts'
import type { Secret } from '../../runtime/secret.ts'
import { describeMoment } from '../describe-moment.ts'
import { observeAttempt } from '../diagnose-attempt.ts'
import { describeExpiryNotice, refuseExpired } from './key/expiry.ts'
import type { ApiKeyOptions } from './key/options.ts'
import type { ApiKeyPlan } from './key/plan.ts'
import type { KeyLife } from './key/stored-key.ts'
import { openKeyStore } from './store/open-key-store.ts'
import { readKey } from './store/read-key.ts'
import { describeStanding } from './verify/describe-standing.ts'
import { fetchKeyStanding } from './verify/fetch-key-standing.ts'

/** Looks for the key without asking anybody, and asks the platform about it where its address is set. */
export async function diagnoseKey(
  host: Host,
  options: ApiKeyOptions,
  call: NetworkCall,
  { place }: ApiKeyPlan,
): Promise<Observation[]> {
  const store = await openKeyStore(place, { host, program: call.program, prompt: 'never' })
  const now = host.clock.now()
  return observeAttempt(async () => {
    const { key, ...life } = await readKey(store, options, call.deadline)
    const found: Observation = { status: 'good', text: `a key is in ${store.where}` }
    const rest = await observeAttempt(async () => {
      const hint = `have another key created, and ${store.hint}`
      refuseExpired(life, now, hint)
      return [describeLife(life, now, hint), ...(await askPlatform(key, options, call, { now, hint }))]
    })
    return [found, ...rest]
  })
}

function describeLife(life: KeyLife, now: number, hint: string): Observation {
  const notice = describeExpiryNotice(life, now)
  if (notice) return { status: 'note', text: notice, hint }
  if (!life.expiresAt) return { status: 'good', text: 'nothing is known of an end of the key' }
  return { status: 'good', text: `the key expires at ${describeMoment(life.expiresAt.getTime(), now)}` }
}

async function askPlatform(
  key: Secret,
  options: ApiKeyOptions,
  call: NetworkCall,
  { now, hint }: { readonly now: number; readonly hint: string },
): Promise<Observation[]> {
  if (options['base-url'] === undefined) return []
  return observeAttempt(async () => {
    const [text = '', ...details] = describeStanding(await fetchKeyStanding(key, options, { call, hint }), now)
    return [{ status: 'good', text, details }]
  })
}
