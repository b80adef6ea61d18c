import type { NetworkCall } from '../../../helper/define-helper.ts'
import { HelperError } from '../../../runtime/failure.ts'
import type { Host } from '../../../runtime/host.ts'
import { describeProvider } from '../oidc/describe-provider.ts'
import { openProvider } from '../oidc/protocol/open-provider.ts'
import type { OidcSettings } from '../oidc/settings.ts'
import { renewUnderLock } from './renew-under-lock.ts'
import { describeRest, isCredible, isRestUsable, toNobody } from './rest.ts'
import type { SignInStore, StoredSignIn } from './sign-in-store.ts'

/** What a renewal is given of the run that needs it. */
export interface RenewalParts {
  readonly host: Pick<Host, 'clock' | 'home'>
  readonly call: NetworkCall
  /** Whether tokens do for this run as they are. Those that were issued since it began have to, however long they live. */
  isEnough(signIn: StoredSignIn): boolean
  /** A test puts another provider in its place. */
  readonly open?: typeof openProvider
}

/**
 * A sign-in whose tokens do for this run, renewed first where they do not: by one process at a time, and kept before anybody uses
 * them. Where they cannot be renewed at the moment, those that are left are used, with a warning.
 * @throws {HelperError} `sign-in-required` where only a person can go on; `late`; otherwise as for any request and any store.
 */
export async function renewSignIn(
  settings: OidcSettings,
  store: SignInStore,
  parts: RenewalParts,
): Promise<StoredSignIn> {
  const { host, call } = parts
  const subject = describeProvider(settings)
  const isEnough = (signIn: StoredSignIn) => isCredible(signIn, host.clock.now()) && parts.isEnough(signIn)
  const stored = await store.read(call.deadline)
  if (!stored) throw toNobody(subject)
  if (isEnough(stored)) return stored
  try {
    const open = () => (parts.open ?? openProvider)(settings, { host, call })
    return await renewUnderLock(store, { host, call, subject, isEnough, open })
  } catch (error) {
    const isTransient = error instanceof HelperError && error.kind === 'unavailable'
    if (!isTransient || !isRestUsable(stored, host.clock.now(), call)) throw error
    call.warn(`${error.message}; ${describeRest(stored)}`)
    return stored
  }
}
