import type { AnyHelper } from '../../helper/define-helper.ts'
import { createSystemHost } from '../../runtime/host.ts'
import { openTerminal } from '../terminal.ts'
import { runCli } from './run-cli.ts'

/** The outermost line of the `gatepass` command. */
export async function main(helpers: ReadonlyMap<string, AnyHelper>): Promise<void> {
  await runCli({
    host: createSystemHost(),
    terminal: openTerminal(),
    helpers,
    setExitStatus: (status) => {
      process.exitCode = status
    },
  })
}
