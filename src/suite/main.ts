// Folder: the executable with every helper: it chooses one by name.

import type { OtherHelpers } from '../helper/define-helper.ts'
import type { Beginning } from '../helper/memo/answer-from-memo.ts'
import { main as runHelperAlone } from '../helper/run/run-helper.ts'
import { runAsChild } from '../helper/run-as-child.ts'
import { createSystemHost, endProcess, listProgramNames } from '../runtime/host.ts'
import { findHelperChoice } from './find-helper-choice.ts'
import { suiteName } from './installed-programs.ts'

/**
 * Runs the executable that contains every helper: the helper that its name or its first argument selects, or otherwise
 * `run-without-helper.ts`.
 */
export async function main(helpers: OtherHelpers, beginning?: Beginning): Promise<void> {
  const host = createSystemHost()
  const choice = findHelperChoice([...helpers.keys()], listProgramNames(), host.argv)
  const child = runAsChild(choice?.name ?? suiteName, host)
  if (child) return child
  const load = choice && helpers.get(choice.name)
  if (load)
    return runHelperAlone(choice.name, await load(), {
      systemHost: { ...host, argv: choice.argv },
      others: helpers,
      beginning,
    })
  const { runWithoutHelper } = await import('./run-without-helper.ts')
  const { status, work } = await runWithoutHelper(helpers, host, listProgramNames().at(-1)!)
  endProcess(status, work)
}
