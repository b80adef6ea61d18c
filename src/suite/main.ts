import type { Beginning } from '../helper/memo/beginning.ts'
import type { OtherHelpers } from '../helper/other-helpers.ts'
import { main as runHelperAlone } from '../helper/run/main.ts'
import { runAsChild } from '../helper/run-as-child.ts'
import { createSystemHost, endProcess, listProgramNames } from '../runtime/host.ts'
import { findHelperChoice } from './choose-helper.ts'
import { suiteName } from './suite-name.ts'

/** The outermost line of the executable that holds every helper. */
export async function main(helpers: OtherHelpers, beginning?: Beginning): Promise<void> {
  const host = createSystemHost()
  const choice = findHelperChoice([...helpers.keys()], listProgramNames(), host.argv)
  const child = runAsChild(choice?.name ?? suiteName, host)
  if (child) return child
  const load = choice && helpers.get(choice.name)
  if (load) return runHelperAlone(choice.name, await load(), { ...host, argv: choice.argv }, helpers, beginning)
  const { runWithoutHelper } = await import('./run-without-helper.ts')
  endProcess(await runWithoutHelper(helpers, host, listProgramNames().at(-1)!), 'finished')
}
