import type { Deadline } from '../../deadline.ts'
import { HelperError } from '../../failure.ts'
import type { NetworkScope } from '../network-scope.ts'
import type { NetworkSettings } from '../settings.ts'
import { createNetworkFetch } from './network-fetch.ts'

/** Who is asked, and by whose rules. */
export interface TimelyRequest {
  /** Names the other side in the message of a call that is late, such as "the token service". */
  readonly name: string
  readonly url: string
  readonly scope?: NetworkScope
}

/**
 * One request within the deadline of a call, over its network. A call that is late says what it was waiting for.
 * @throws {HelperError} `late`, `unavailable`, `not-configured` for what is no URL, or what the network itself finds wrong.
 */
export async function fetchInTime(
  { deadline, network }: { readonly deadline: Deadline; readonly network: NetworkSettings },
  { name, url, scope = 'any-host' }: TimelyRequest,
  init: RequestInit = {},
): Promise<Response> {
  if (!URL.canParse(url))
    throw new HelperError('not-configured', `the address of ${name} is not a URL`, 'write it in full, with https://')
  let stage = ''
  const report = (next: string) => {
    stage = next
  }
  return deadline.during(
    () => `${name} (${stage})`,
    ({ signal }) => createNetworkFetch({ network, scope, signal, report })(url, init),
  )
}
