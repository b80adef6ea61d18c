// Folder: the helper that prints a static key: storing, reading, verifying and forgetting it.

import type { Call, Plan } from '../../helper/define-helper.ts'
import type { CommonOptions } from '../../helper/options/table.ts'
import { findProblems, type Problem } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import { refuseUnsendableWorkspace } from '../workspace-header.ts'
import { describePlace, type KeyLocation, parseKeyPlace } from './key-place.ts'
import type { ApiKeyOptions } from './options.ts'

/** The place of the key. */
export interface ApiKeyPlan extends Plan {
  readonly place: KeyLocation
}

/** Finds what is wrong with the options of a key on every machine. */
export function validateKeyOptions(
  options: Pick<ApiKeyOptions, 'key-name' | 'key-file' | 'key-variable' | 'workspace'>,
  { program }: Pick<Call, 'program'>,
): Problem[] {
  return [
    ...findProblems(() => refuseUnsendableWorkspace(options)),
    ...findProblems(() => parseKeyPlace(options, program, '')),
  ]
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
