import { exitStatus, renderFailure, toHelperError } from '../../runtime/failure.ts'
import { createSystemHost, endProcess, type Host, reportCrashes } from '../../runtime/host.ts'
import { toTypingStreams } from '../../runtime/own-command.ts'
import type { AnyHelper, OtherHelpers } from '../define-helper.ts'
import type { Beginning } from '../memo/locate-memo.ts'
import { runAsChild } from '../run-as-child.ts'
import { runHelper, waitForStderr } from './run-helper.ts'

/**
 * The outermost line of a helper's program.
 * @param others See {@link runHelper}; `beginning` too.
 */
export async function main(
  program: string,
  helper: AnyHelper,
  systemHost: Host = createSystemHost(),
  others?: OtherHelpers,
  beginning?: Beginning,
): Promise<void> {
  const host = { ...systemHost, streams: toTypingStreams(program, systemHost) }
  let hasCrashed = false
  reportCrashes(async (thrown) => {
    // A failure after a crash is its consequence.
    if (hasCrashed) return
    hasCrashed = true
    host.streams.stderr(renderFailure(program, toHelperError(thrown)))
    await waitForStderr(host)
    endProcess(exitStatus.bug, 'abandoned')
  })
  const child = runAsChild(program, host, helper.children)
  if (child) return child
  const { status, work } = await runHelper(program, helper, host, others, beginning)
  endProcess(status, work)
}
