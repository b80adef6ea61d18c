import { vendor } from '../vendor.ts'
import { type ClientContext, type HelperContext, helperContexts } from './context.ts'

/**
 * Reads the context from the environment. Without the variable it is `terminal` on a terminal, else `unknown`; an undocumented
 * value is `unknown`, in which nobody may be asked.
 */
export function detectContext(
  env: Readonly<Record<string, string | undefined>>,
  attached: () => 'terminal' | 'pipe',
): HelperContext {
  const value = env[vendor.contextVariable]
  if (value === undefined || value === '') return attached() === 'terminal' ? 'terminal' : 'unknown'
  return helperContexts.find((known) => known === value) ?? 'unknown'
}

/** The variables by which the client says why a helper runs. */
export function toContextVariables(context: ClientContext): Record<string, string> {
  return {
    [vendor.contextVariable]: context,
    ...(context === 'setup-test' && { [vendor.manualRunVariable]: '1' }),
  }
}
