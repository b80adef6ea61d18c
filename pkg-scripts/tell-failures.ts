import { exitStatus, HelperError, renderFailure } from '../src/runtime/failure.ts'
import { reportCrashes } from '../src/runtime/host.ts'

/** Lets a failing script print the reason and the way out, without a stack trace if a person can fix it. */
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
