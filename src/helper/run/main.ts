import { exitStatus, renderFailure, toHelperError } from '../../runtime/failure.ts'
import { createSystemHost, endProcess, type Host, reportCrashes } from '../../runtime/host.ts'
import type { AnyHelper } from '../define-helper.ts'
import type { Beginning } from '../memo/beginning.ts'
import type { OtherHelpers } from '../other-helpers.ts'
import { runAsChild } from '../run-as-child.ts'
import { runHelper } from './run-helper.ts'

/**
 * The outermost line of a helper's program.
 * @param others See {@link runHelper}; `beginning` too.
 */
export async function main(
  program: string,
  helper: AnyHelper,
  host: Host = createSystemHost(),
  others?: OtherHelpers,
  beginning?: Beginning,
): Promise<void> {
  reportCrashes(async (thrown) => {
    host.streams.stderr(renderFailure(program, toHelperError(thrown)))
    await host.streams.flush()
    endProcess(exitStatus.bug, 'abandoned')
  })
  const child = runAsChild(program, host)
  if (child) return child
  const { status, work } = await runHelper(program, helper, host, others, beginning)
  endProcess(status, work)
}
