import { stat } from 'node:fs/promises'
import type { MachineFiles } from '../config/check/machine.ts'
import { runProcess } from '../runtime/run-process.ts'

/** The files of this machine. Extended attributes exist on macOS, whose own tool lists them. */
export const machineFiles: MachineFiles = {
  findStatus: async (path) => stat(path).catch(() => undefined), // not there, or not for us: both mean it cannot be run
  listAttributes: async (path) => {
    if (process.platform !== 'darwin') return []
    const outcome = await runProcess({
      command: { program: '/usr/bin/xattr', args: [path] },
      env: process.env,
      signal: AbortSignal.timeout(5_000),
    })
    return outcome.ended === 'exited' ? new TextDecoder().decode(outcome.stdout).split('\n').filter(Boolean) : []
  },
}
