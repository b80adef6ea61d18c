import type { HelperScriptCredential } from '../../config/document.ts'
import type { ClientContext } from '../../contract/context.ts'
import type { HelperRun, RunHelper, RunSetup } from '../launch/run-credential-helper.ts'
import type { RunCause, Tell } from '../timeline/client-event.ts'

interface ToldRun {
  readonly helper: HelperScriptCredential
  readonly context: ClientContext
  readonly cause: RunCause
  readonly tell: Tell
}

/** Runs a helper and tells how it began and how it ended. */
export async function tellOfRun(
  { helper, context, cause, tell }: ToldRun,
  { runHelper, ...surroundings }: RunSetup & { readonly runHelper: RunHelper },
): Promise<HelperRun> {
  tell({ type: 'helper-started', context, cause })
  const run = await runHelper(helper, context, surroundings)
  const { durationMs, stderr, survivors } = run
  if (survivors !== 'none') tell({ type: 'survivors-found', survivors })
  if (run.ok) {
    const headerNames = Object.keys(run.credential.headers)
    tell({ type: 'helper-succeeded', durationMs, warnings: run.warnings, stderr, headerNames })
  } else tell({ type: 'helper-failed', durationMs, reason: run.reason, message: run.message, stderr })
  return run
}
