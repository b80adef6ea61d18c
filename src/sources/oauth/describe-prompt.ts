import type { ShownPrompt } from './progress/note.ts'

/** What a waiting run says on stderr, once. */
export function describePrompt({ address, userCode, opens }: ShownPrompt, subject: string): string {
  if (opens) {
    const code = userCode === undefined ? '' : `; the page has to show the code ${userCode}`
    return `a browser opens for the sign-in to ${subject}; if you see none, open ${address}${code}`
  }
  const code = userCode === undefined ? '' : ` and enter the code ${userCode}`
  return `to sign in to ${subject}, open ${address}${code}`
}
