import type { AnyHelper } from '../../helper/define-helper.ts'
import { createSystemHost } from '../../runtime/host.ts'
import { keychainChildCommand } from '../../sources/keychain/system/exchange/child-command.ts'
import { programName } from '../program-name.ts'
import { openTerminal } from '../terminal.ts'
import { runCli } from './run-cli.ts'

/** The outermost line of the `gatepass` command. */
export async function main(helpers: ReadonlyMap<string, AnyHelper>): Promise<void> {
  const host = createSystemHost()
  if (host.argv[0] === keychainChildCommand) {
    const { runKeychainChild } = await import('../../sources/keychain/system/child/run-keychain-child.ts')
    return runKeychainChild(programName, host)
  }
  await runCli({
    host,
    terminal: openTerminal(),
    helpers,
    setExitStatus: (status) => {
      process.exitCode = status
    },
  })
}
