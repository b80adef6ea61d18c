// Folder: the helper that prints a static key: its commands store, verify and remove the key.

import type { Call, Plan } from '../../helper/define-helper.ts'
import type { CommonOptions } from '../../helper/options/every-helper-options.ts'
import { type Problem, validateReading } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import { refuseUnsendableWorkspace } from '../workspace-header.ts'
import type { ApiKeyOptions } from './api-key-options.ts'
import { describeKeyLocation, type KeyLocation, parseKeyLocation } from './key-location.ts'

/** A plan with the location of the key, because `store` and `forget` change it there. */
export interface ApiKeyPlan extends Plan {
  readonly location: KeyLocation
}

/** Finds problems that the options have on every machine. */
export function validateKeyOptions(
  options: Pick<ApiKeyOptions, 'key-name' | 'key-file' | 'key-variable' | 'workspace'>,
  { program }: Pick<Call, 'program'>,
): Problem[] {
  return [
    ...validateReading(() => refuseUnsendableWorkspace(options)),
    ...validateReading(() => parseKeyLocation(options, program, '')),
  ]
}

/** Determines which key will be used, without reading it. @throws {HelperError} `usage` */
export async function planApiKey(
  { home }: Pick<Host, 'home'>,
  options: ApiKeyOptions & CommonOptions,
  { program }: Pick<Call, 'program'>,
): Promise<ApiKeyPlan> {
  refuseUnsendableWorkspace(options)
  const location = parseKeyLocation(options, program, home)
  return {
    location,
    inputs: location,
    sourceKind: location.kind,
    steps: [`the key in ${describeKeyLocation(location)}`],
  }
}
