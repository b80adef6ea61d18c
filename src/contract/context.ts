/**
 * The values of the client's context variable, which says why it runs a helper: `mid-session-refresh` is in the
 * specification, the others in the client's documentation.
 */
export const helperContexts = [
  'interactive',
  'mid-session-refresh',
  'scheduled-task',
  'setup-test',
  'background',
] as const

/** A context that the client names. */
export type ClientContext = (typeof helperContexts)[number]

/** Why a helper runs. `terminal` (a person runs it from a shell) and `unknown` (anything else) are our decision. */
export type HelperContext = ClientContext | 'terminal' | 'unknown'

/** Whether a browser may open or a question may be asked. In every other context a run fails rather than wait for a person. */
export function isPromptAllowed(context: HelperContext): boolean {
  return context === 'interactive' || context === 'terminal'
}
