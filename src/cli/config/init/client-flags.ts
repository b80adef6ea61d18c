import type { HelperClient } from '../../../contract/clients/client.ts'
import type { OptionTable } from '../../../helper/options/table.ts'
import { HelperError } from '../../../runtime/failure.ts'
import type { OtherClient } from '../clients/renderers.ts'
import { type InitFlags, refuseOtherFlags, toFlag } from './flags.ts'

/** Clients whose configuration gives the helper's entry a name. */
const named: readonly OtherClient[] = ['codex', 'kubernetes', 'aws']

/**
 * @param options Those of the chosen helper.
 * @throws {HelperError} `usage` for a flag that the client's configuration has no place for.
 */
export function refuseFlagsOfOthers(
  name: OtherClient,
  { title, refresh, start, hosts }: HelperClient,
  flags: InitFlags,
  options: OptionTable = {},
): void {
  const wrong: readonly (keyof InitFlags | false)[] = [
    'kind',
    hosts === 'any' && 'baseUrl',
    refresh.intervalSetting === undefined && 'ttl',
    start !== 'path' && 'wrapper',
    !named.includes(name) && 'name',
  ]
  const found = wrong.find((flag) => flag !== false && flags[flag] !== undefined)
  if (found) throw new HelperError('usage', `${toFlag(found)} does not go with ${title}`, 'leave it out')
  refuseOtherFlags(flags, 'helper-script', options)
}

/** @throws {HelperError} `usage` for a flag that only configurations of other clients have a place for. */
export function refuseFlagsOfClients({ name, wrapper }: InitFlags): void {
  const found = name !== undefined ? '--name' : wrapper !== undefined ? '--wrapper' : undefined
  if (found === undefined) return
  throw new HelperError(
    'usage',
    `${found} does not go with a document`,
    `leave it out, or pass --client; see: gatepass config init --help`,
  )
}
