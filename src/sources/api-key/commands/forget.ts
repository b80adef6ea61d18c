import { isPromptAllowed } from '../../../contract/context.ts'
import type { CommandCall } from '../../../helper/define-helper.ts'
import type { Host } from '../../../runtime/host.ts'
import { describePlace } from '../key/key-place.ts'
import type { ApiKeyPlan } from '../key/plan.ts'
import { openKeyStore } from '../store/open-key-store.ts'

/** Removes the key from where it is kept. The platform accepts it until it is deleted there. @throws {HelperError} */
export async function runForget(host: Host, call: CommandCall, { place }: ApiKeyPlan): Promise<void> {
  const prompt = isPromptAllowed(call.context) ? 'allowed' : 'never'
  const store = await openKeyStore(place, { host, program: call.program, prompt })
  const wasThere = await call.deadline.during('keychain', `removing the key from ${describePlace(place)}`, () =>
    store.remove(call.deadline),
  )
  call.tell(
    wasThere
      ? `the key is removed from ${store.where}; the platform accepts it until it expires or is deleted there`
      : `there was no key in ${store.where}`,
  )
}
