import { HelperError } from '../../runtime/failure.ts'
import type { ResolvedOptions } from '../options/resolve.ts'

/**
 * A failure as the people of this machine read it: where somebody has to sign in, the machine's file may say how, because most
 * people do not have the tools that our own hints name.
 */
export function applySignInHint(failure: HelperError, resolved: ResolvedOptions | undefined): HelperError {
  const hint = resolved?.get('sign-in-hint')?.value
  if (failure.kind !== 'sign-in-required' || typeof hint !== 'string') return failure
  return new HelperError(failure.kind, failure.message, hint, { cause: failure })
}
