import type { NetworkCall } from '../../../src/helper/define-helper.ts'
import { Deadline } from '../../../src/runtime/deadline.ts'
import type { SignInParts } from '../../../src/sources/oauth/flow.ts'
import { type TestHost, type TestHostParts, testHost } from '../../setup/test-host.ts'

/** Prepares the parts of a run that a sign-in gets; its call may take `seconds`. */
export async function startParts(
  parts: TestHostParts = {},
  seconds = 20,
): Promise<SignInParts & { readonly host: TestHost }> {
  const host = await testHost(parts)
  const call = {
    program: 'p',
    context: 'interactive',
    warn: () => {},
    deadline: new Deadline({ seconds, hint: 'h' }, host.clock),
    network: { proxy: undefined, authorities: [] },
  } as unknown as NetworkCall // no more of it is used
  return { host, call, way: 'auto' }
}
