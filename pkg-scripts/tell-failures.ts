import { exitStatus, HelperError, renderFailure } from '../src/runtime/failure.ts'
import { reportCrashes } from '../src/runtime/host.ts'

/** Has a script that fails say why, and what to do, without a stack trace where somebody can do something about it. */
export function tellFailures(script: string): void {
  reportCrashes((thrown) => {
    if (thrown instanceof HelperError) {
      process.stderr.write(renderFailure(script, thrown))
      process.exit(exitStatus[thrown.kind])
    }
    console.error(thrown)
    process.exit(1)
  })
}
