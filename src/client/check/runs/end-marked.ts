import { endProcessGroup } from '../../../runtime/host.ts'
import { markVariable } from './decoy-browsers.ts'
import type { ProcessTable } from './process-table.ts'

/** Ends everybody who was started by a run with this mark, in whatever session; a prefix ends those of many runs. */
export async function endMarked(table: ProcessTable | undefined, mark: string): Promise<void> {
  for (const group of (await table?.groupsWith(`${markVariable}=${mark}`)) ?? []) endProcessGroup(group)
}
