import { endProcessGroup } from '../../../runtime/host.ts'
import { markVariable } from './decoy-browsers.ts'
import type { ProcessTable } from './processes/process-table.ts'

/** Ends every process that runs with this mark have started, in any session. A prefix of marks ends those of many runs. */
export async function endMarkedProcesses(table: ProcessTable | undefined, mark: string): Promise<void> {
  for (const group of (await table?.groupsWith(`${markVariable}=${mark}`)) ?? []) endProcessGroup(group)
}
