import type { ShownPrompt } from './progress/note.ts'

/** The line on stderr that asks a person to sign in; repeated if no browser could be started. The address is long, so it comes last. */
export function describePrompt({ address, userCode, opens, unopened }: ShownPrompt, subject: string): string {
  if (opens) {
    const code = userCode === undefined ? '' : ` and has to show the code ${userCode}`
    return `a browser opens for the sign-in to ${subject}${code}; if you see none, open: ${address}`
  }
  const step = userCode === undefined ? 'open' : `enter the code ${userCode} at`
  const why = unopened === undefined ? '' : `no browser could be started: ${unopened.problem}; `
  return `${why}to sign in to ${subject}, ${step}: ${address}`
}
