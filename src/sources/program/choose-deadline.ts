import { midSessionTimeoutSec } from '../../contract/limits.ts'
import { computeCallSec } from '../../contract/timing/call-time.ts'
import type { Deadline } from '../../runtime/deadline.ts'

/** In `mid-session-refresh` a program has no more time either. */
const programSec = computeCallSec('mid-session-refresh', midSessionTimeoutSec)

/**
 * How long a program is waited for that prints a token. It may be in the middle of what nobody could repeat, such as the renewal of
 * a sign-in of its own: so it is not given up as soon as other work that the call can do without.
 */
export function chooseProgramDeadline({ deadline }: { readonly deadline: Deadline }): Deadline {
  const { whole } = deadline
  return whole === deadline ? whole : whole.atMost(programSec)
}
