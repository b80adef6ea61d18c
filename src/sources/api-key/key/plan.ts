import type { Call, Plan } from '../../../helper/define-helper.ts'
import type { CommonOptions } from '../../../helper/options/table.ts'
import type { Host } from '../../../runtime/host.ts'
import { refuseUnsendableWorkspace } from '../../workspace-header.ts'
import { describePlace, type KeyPlace, parseKeyPlace } from './key-place.ts'
import type { ApiKeyOptions } from './options.ts'

/** Where the key is. */
export interface ApiKeyPlan extends Plan {
  readonly place: KeyPlace
}

/** Finds out which key is used, without reading it. @throws {HelperError} `usage` */
export async function planApiKey(
  { home }: Pick<Host, 'home'>,
  options: ApiKeyOptions & CommonOptions,
  { program }: Pick<Call, 'program'>,
): Promise<ApiKeyPlan> {
  refuseUnsendableWorkspace(options)
  const place = parseKeyPlace(options, program, home)
  return { place, inputs: place, sourceKind: place.kind, steps: [`the key in ${describePlace(place)}`] }
}
