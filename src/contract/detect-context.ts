// Separate from context.ts, which is loaded before the names are known.

import { vendor } from '../vendor.ts'
import { type ClientContext, type HelperContext, parseContext } from './context.ts'

/** Detects the context from the environment; see {@link parseContext}. */
export function detectContext(
  env: Readonly<Record<string, string | undefined>>,
  attached: () => 'terminal' | 'pipe',
): HelperContext {
  return parseContext(env[vendor.contextVariable], attached)
}

/** Returns the variables with which the client states why a helper runs. */
export function toContextVariables(context: ClientContext): Record<string, string> {
  return {
    [vendor.contextVariable]: context,
    ...(context === 'setup-test' && { [vendor.manualRunVariable]: '1' }),
  }
}
