import type { HelperScriptCredential } from '../../config/document.ts'
import type { ClientContext } from '../../contract/context.ts'
import type { HelperRun, RunHelper, RunSetup } from '../launch/run-credential-helper.ts'
import type { EmitEvent, RunCause } from '../timeline/client-event.ts'

interface ReportedRun {
  readonly helper: HelperScriptCredential
  /** `undefined` for a client that tells none; a run of ours is then one without a person. */
  readonly context: ClientContext | undefined
  readonly cause: RunCause
  readonly emit: EmitEvent
}

/** Runs a helper and emits events for its start, its end and the processes that it left. */
export async function runAndReport(
  { helper, context, cause, emit }: ReportedRun,
  { runHelper, ...setup }: RunSetup & { readonly runHelper: RunHelper },
): Promise<HelperRun> {
  emit({ type: 'helper-started', ...(context && { context }), cause })
  const run = await runHelper(helper, context ?? 'background', setup)
  const { durationMs, stderr, survivors } = run
  if (survivors !== 'none') emit({ type: 'survivors-found', survivors })
  if (run.ok) {
    const headerNames = Object.keys(run.credential.headers)
    emit({ type: 'helper-succeeded', durationMs, warnings: run.warnings, stderr, headerNames })
  } else emit({ type: 'helper-failed', durationMs, reason: run.reason, message: run.message, stderr })
  return run
}
