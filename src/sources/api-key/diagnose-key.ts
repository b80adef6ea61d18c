import type { NetworkCall } from '../../helper/define-helper.ts'
import type { DiagnosisLine } from '../../helper/diagnosis.ts'
import type { Host } from '../../runtime/host.ts'
import type { Secret } from '../../runtime/secret.ts'
import { describeMoment } from '../../runtime/values/duration.ts'
import { observeAttempt } from '../observe-attempt.ts'
import type { ApiKeyOptions } from './api-key-options.ts'
import { describeExpiryNotice, refuseExpired, toReplaceHint } from './key-expiry.ts'
import { describeStanding, fetchKeyStanding } from './key-standing.ts'
import { openKeyStore } from './open-key-store.ts'
import type { ApiKeyPlan } from './plan-api-key.ts'
import { readKey } from './read-key.ts'
import type { KeyDates } from './stored-key.ts'

/** Reads the key without a prompt, and asks the platform about it if base-url is set. */
export async function diagnoseKey(
  host: Host,
  options: ApiKeyOptions,
  call: NetworkCall,
  { location }: ApiKeyPlan,
): Promise<DiagnosisLine[]> {
  const store = await openKeyStore(location, host, { ...call, context: 'background' })
  const now = host.clock.now()
  return observeAttempt(async () => {
    const { key, ...life } = await readKey(store, options, call.deadline)
    const found: DiagnosisLine = { status: 'good', text: `a key is in ${store.where}` }
    const details = await observeAttempt(async () => {
      const hint = toReplaceHint(store)
      refuseExpired(life, now, hint)
      return [describeLife(life, now, hint), ...(await askPlatform(key, options, call, { now, hint }))]
    })
    return [found, ...details]
  })
}

function describeLife(life: KeyDates, now: number, hint: string): DiagnosisLine {
  const notice = describeExpiryNotice(life, now)
  if (notice) return { status: 'note', text: notice, hint }
  if (!life.expiresAt) return { status: 'good', text: 'it is not known when the key expires' }
  return { status: 'good', text: `the key expires at ${describeMoment(life.expiresAt.getTime(), now)}` }
}

async function askPlatform(
  key: Secret,
  options: ApiKeyOptions,
  call: NetworkCall,
  { now, hint }: { readonly now: number; readonly hint: string },
): Promise<DiagnosisLine[]> {
  if (options['base-url'] === undefined) return []
  return observeAttempt(async () => {
    const [text = '', ...details] = describeStanding(await fetchKeyStanding(key, options, { call, hint }), now)
    return [{ status: 'good', text, details }]
  })
}
