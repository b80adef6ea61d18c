import type { HelperContext } from '../context.ts'
import { clientDefaults, midSessionTimeoutSec } from '../limits.ts'

/** A run ends this much earlier than the client would kill it, so that the client logs our message. */
const headStartSec = 2

/** How long the client waits for a run, in seconds; at most 20 in `mid-session-refresh`. Client documentation. */
export function resolveHelperTimeoutSec(
  { timeoutSec = clientDefaults.timeoutSec }: { readonly timeoutSec?: number | undefined },
  context: HelperContext,
): number {
  return context === 'mid-session-refresh' ? Math.min(timeoutSec, midSessionTimeoutSec) : timeoutSec
}

/** How long a run of ours may take in a context, in seconds from the start of its process. */
export function computeCallSec(context: HelperContext, clientTimeoutSec: number): number {
  return resolveHelperTimeoutSec({ timeoutSec: clientTimeoutSec }, context) - headStartSec
}
