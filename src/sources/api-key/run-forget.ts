import type { CommandCall } from '../../helper/define-helper.ts'
import type { Host } from '../../runtime/host.ts'
import { describeKeyLocation } from './key-location.ts'
import { openKeyStore } from './open-key-store.ts'
import type { ApiKeyPlan } from './plan-api-key.ts'

/** Removes the key from its store. The platform still accepts the key until it is deleted there. @throws {HelperError} */
export async function runForget(host: Host, call: CommandCall, { location }: ApiKeyPlan): Promise<void> {
  const store = await openKeyStore(location, host, call)
  const wasThere = await call.deadline.during(
    'keychain',
    `removing the key from ${describeKeyLocation(location)}`,
    () => store.remove(call.deadline),
  )
  call.tell(
    wasThere
      ? `the key is removed from ${store.where}; the platform accepts it until it expires or is deleted there`
      : `there was no key in ${store.where}`,
  )
}
