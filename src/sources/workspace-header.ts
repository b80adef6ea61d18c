import { validateHeaderSet } from '../contract/client-headers.ts'
import type { Headers } from '../contract/headers.ts'
import { HelperError } from '../runtime/failure.ts'
import { vendor } from '../vendor.ts'

/** Creates the header that the platform requires with a credential for several workspaces. */
export function toWorkspaceHeader({ workspace }: WorkspaceOptions): Headers {
  return workspace === undefined ? {} : { [vendor.workspaceHeader]: workspace }
}

/** The setting of a helper whose credential acts in a workspace. */
interface WorkspaceOptions {
  readonly workspace?: string | undefined
}

/** Refuses a workspace that no header can carry. @throws {HelperError} `usage` */
export function refuseUnsendableWorkspace(options: WorkspaceOptions): void {
  const [problem] = validateHeaderSet(Object.entries(toWorkspaceHeader(options)))
  if (problem) throw new HelperError('usage', `workspace: ${problem}`, 'correct the setting workspace')
}
