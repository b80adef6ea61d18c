import type { AnyHelper } from '../../helper/define-helper.ts'
import { runAsChild } from '../../helper/run-as-child.ts'
import { exitStatus } from '../../runtime/failure.ts'
import { createSystemHost, endProcess } from '../../runtime/host.ts'
import { parseVendorOption } from '../../runtime/machine/vendor-option.ts'
import { findNameSource } from '../../vendor/name-source.ts'
import { programName } from '../program-name.ts'
import { openTerminal } from '../terminal.ts'
import { runCli } from './run-cli.ts'

/** The outermost line of the `gatepass` command. */
export async function main(helpers: ReadonlyMap<string, AnyHelper>): Promise<void> {
  const host = createSystemHost()
  const child = runAsChild(programName, host)
  if (child) return child
  await runCli({
    // The option has been read before this was loaded.
    host: { ...host, argv: parseVendorOption(host.argv).rest },
    terminal: openTerminal(),
    helpers,
    setExitStatus: (status) => {
      process.exitCode = status
    },
  })
  // A thread still waits for the file that decides the names.
  if (findNameSource().failure?.kind === 'late') endProcess(exitStatus.late, 'abandoned')
}
