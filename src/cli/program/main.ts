import type { AnyHelper } from '../../helper/define-helper.ts'
import { runAsKeychainChild } from '../../helper/run-as-keychain-child.ts'
import { createSystemHost } from '../../runtime/host.ts'
import { programName } from '../program-name.ts'
import { openTerminal } from '../terminal.ts'
import { runCli } from './run-cli.ts'

/** The outermost line of the `gatepass` command. */
export async function main(helpers: ReadonlyMap<string, AnyHelper>): Promise<void> {
  const host = createSystemHost()
  const child = runAsKeychainChild(programName, host)
  if (child) return child
  await runCli({
    host,
    terminal: openTerminal(),
    helpers,
    setExitStatus: (status) => {
      process.exitCode = status
    },
  })
}
