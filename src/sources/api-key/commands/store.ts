import { isPromptAllowed } from '../../../contract/context.ts'
import type { CommandCall } from '../../../helper/define-helper.ts'
import type { Host } from '../../../runtime/host.ts'
import { describeMoment } from '../../describe-moment.ts'
import { describeExpiryNotice, refuseExpired } from '../key/expiry.ts'
import { describePlace } from '../key/key-place.ts'
import type { ApiKeyOptions } from '../key/options.ts'
import type { ApiKeyPlan } from '../key/plan.ts'
import { type KeyLife, renderStoredKey, type StoredKey } from '../key/stored-key.ts'
import { openKeyStore } from '../store/open-key-store.ts'
import { parseExpiryOption } from '../store/read-key.ts'
import { readTypedKey } from './read-typed-key.ts'

/** Keeps a key that is typed or piped, after asking the platform about it where that is wanted. @throws {HelperError} */
export async function runStore(
  host: Host,
  options: ApiKeyOptions,
  call: CommandCall,
  { place }: ApiKeyPlan,
): Promise<void> {
  const prompt = isPromptAllowed(call.context) ? 'allowed' : 'never'
  const store = await openKeyStore(place, { host, program: call.program, prompt })
  await store.prepare(call.deadline)
  const typed = { ...(await readTypedKey(host, call, place)), ...parseExpiryOption(options) }
  refuseExpired(typed, host.clock.now(), 'have another key created, and store that one')
  const found = options.verify ? await verify(typed, host, options, call) : {}
  const key = { ...typed, ...found }
  await call.deadline.during('keychain', `storing the key in ${describePlace(place)}`, () =>
    store.write(renderStoredKey(key), call.deadline),
  )
  call.tell(`the key is kept in ${store.where}`)
  tellLife(key, { host, options, call })
}

/** Only what the platform has said replaces what a person has. */
async function verify(key: StoredKey, host: Host, options: ApiKeyOptions, call: CommandCall): Promise<KeyLife> {
  const [{ fetchKeyStanding }, { describeStanding, toKeyLife }] = await Promise.all([
    import('../verify/fetch-key-standing.ts'),
    import('../verify/describe-standing.ts'),
  ])
  const standing = await fetchKeyStanding(key.key, options, { call, hint: 'store that one; nothing is stored now' })
  for (const line of describeStanding(standing, host.clock.now())) call.tell(line)
  return standing.record ? toKeyLife(standing) : {}
}

function tellLife(
  life: KeyLife,
  { host, options, call }: { readonly host: Host; readonly options: ApiKeyOptions; readonly call: CommandCall },
): void {
  const now = host.clock.now()
  const notice = describeExpiryNotice(life, now)
  if (notice) call.warn(`${notice}: have another one created before, and store it`)
  else if (life.expiresAt && !options.verify)
    call.tell(`it expires at ${describeMoment(life.expiresAt.getTime(), now)}`)
  else if (!life.expiresAt && !options.verify)
    call.tell('when it expires is not known: --expires-at says it, or --verify asks the platform')
}
