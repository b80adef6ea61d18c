import type { ShownPrompt } from './progress/note.ts'

/** What a waiting run says on stderr, once, and again if no browser could be started. */
export function describePrompt({ address, userCode, opens, unopened }: ShownPrompt, subject: string): string {
  if (opens) {
    const code = userCode === undefined ? '' : `; the page has to show the code ${userCode}`
    return `a browser opens for the sign-in to ${subject}; if you see none, open ${address}${code}`
  }
  const code = userCode === undefined ? '' : ` and enter the code ${userCode}`
  const why = unopened === undefined ? '' : `no browser could be started: ${unopened.problem}; `
  return `${why}to sign in to ${subject}, open ${address}${code}`
}
