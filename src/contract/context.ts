// Folder: the contract of helper and client, for both sides, and the facts of the HTTP API; pure.

/**
 * The values of the client's context variable, which states why it runs a helper: `mid-session-refresh` is in the specification, the others
 * are in the client's documentation.
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

/** Why a helper may run. `terminal` (a person runs it from a shell) and `unknown` (anything else) are our decision. */
export const everyContext = [...helperContexts, 'terminal', 'unknown'] as const

/** Why a helper runs. */
export type HelperContext = (typeof everyContext)[number]

/**
 * Parses the value of the client's variable. Without a value the context is `terminal` on a terminal, else `unknown`; an undocumented value
 * is `unknown`, in which no person may be asked.
 */
export function parseContext(value: string | undefined, attached: () => 'terminal' | 'pipe'): HelperContext {
  if (value === undefined || value === '') return attached() === 'terminal' ? 'terminal' : 'unknown'
  return findClientContext(value) ?? 'unknown'
}

/** Finds the context that a client has named; `undefined` for any other word, such as `terminal`. */
export function findClientContext(word: string | undefined): ClientContext | undefined {
  return helperContexts.find((known) => known === word)
}

/** Returns whether a browser may open or a question may be asked. In every other context a run fails instead of waiting for a person. */
export function isPromptAllowed(context: HelperContext): boolean {
  return context === 'interactive' || context === 'terminal'
}
