import type { ClientContext } from '../../../contract/context.ts'

/** Those for which simulated clients run their helper. A simulated desktop keeps the number of one. */
export const fleetContexts = [
  'interactive',
  'scheduled-task',
  'mid-session-refresh',
] as const satisfies readonly ClientContext[]

/** Why a simulated client runs its helper. */
export type FleetContext = (typeof fleetContexts)[number]
