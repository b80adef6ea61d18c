import type { HelperContext } from '../../contract/context.ts'
import { midSessionTimeoutSec } from '../../contract/limits.ts'
import { computeCallSec } from '../../contract/timing/call-time.ts'
import type { Limit } from '../../runtime/deadline.ts'

/** How long a run may take in a context, counted from the start of its process. */
export function computeCallLimit(context: HelperContext, clientTimeoutSec: number): Limit {
  const isClamped = context === 'mid-session-refresh' && clientTimeoutSec > midSessionTimeoutSec
  return {
    seconds: computeCallSec(context, clientTimeoutSec),
    hint: isClamped
      ? `find out why it is slow; in ${context} a client waits ${midSessionTimeoutSec} s, whatever its timeoutSec`
      : "find out why it is slow, or raise timeoutSec in the client's document and client-timeout here",
  }
}
