import { type HealthyRun, isHealthy, type Run } from '../runs/run.ts'

/**
 * A run before any refresh that printed the token of this refresh. A refresh may serve the token that another refresh has
 * just obtained, so those are not compared.
 */
export function findSameToken(refresh: HealthyRun, allRuns: readonly Run[]): Run | undefined {
  const first = allRuns.findIndex(({ context }) => context === refresh.context)
  const { fingerprint } = refresh.output.token
  return allRuns.slice(0, first).find((run) => isHealthy(run) && run.output.token.fingerprint === fingerprint)
}

/** Whether the token, or what stands beside it, says when it ends. */
export function hasKnownEnd({ output }: HealthyRun): boolean {
  return output.token.end !== undefined || output.statedEnd !== undefined
}
