import { vendor } from '../vendor.ts'

/**
 * Why a helper runs. The five named ones are values of the client's context variable: `mid-session-refresh` is in the
 * specification, the others in the client's documentation. `terminal` (a person tries it from a shell) and `unknown`
 * (anything else) are our decision for what the documents leave open.
 */
export const helperContexts = [
  'interactive',
  'mid-session-refresh',
  'scheduled-task',
  'setup-test',
  'background',
] as const

export type ClientContext = (typeof helperContexts)[number]
export type HelperContext = ClientContext | 'terminal' | 'unknown'

/** Whether a browser may open or a question may be asked. Everything else fails rather than wait for a person. */
export function isPromptAllowed(context: HelperContext): boolean {
  return context === 'interactive' || context === 'terminal'
}

/**
 * Reads the context from the environment. Unset on a terminal is `terminal`; unset elsewhere, or a value that nobody
 * has documented, is `unknown` and therefore silent.
 */
export function detectContext(
  env: Readonly<Record<string, string | undefined>>,
  attached: () => 'terminal' | 'pipe',
): HelperContext {
  const value = env[vendor.contextVariable]
  if (value === undefined || value === '') return attached() === 'terminal' ? 'terminal' : 'unknown'
  return helperContexts.find((known) => known === value) ?? 'unknown'
}

/** What the client adds to a helper's environment to say why it runs. */
export function toContextVariables(context: ClientContext): Record<string, string> {
  return {
    [vendor.contextVariable]: context,
    ...(context === 'setup-test' && { [vendor.manualRunVariable]: '1' }),
  }
}
