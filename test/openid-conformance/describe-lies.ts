import { expect, test } from 'vitest'
import { signInWith } from './sign-in-desk.ts'
import { type Told, type ToldLies, toRows } from './told-lie.ts'

/** Defines a test for each lie: a whole sign-in, and the whole of what comes of it. */
export function describeLies(lies: ToldLies): void {
  test.concurrent.each(toRows(lies))('%s with "%s"', async (_outcome, _name, lie) => {
    const { says, asked } = lie
    const outcome = await signInWith(lie.lies, lie)
    expect({ ...outcome, asked: outcome.asked.join(' ') }).toEqual({
      outcome: says ?? 'signed in',
      page: outcome.asked.includes('authorize') ? renderPage(says, outcome.asked) : undefined,
      // Nothing of a sign-in that was refused, whatever the provider has sent.
      kept: says ? [] : ['accessToken', ...(outcome.asked.includes('keys') ? ['idToken'] : []), 'refreshToken'],
      asked: asked ?? (lie.way === 'device' ? 'discovery keys device poll' : 'discovery authorize keys token'),
      strayed: [],
    })
  })
}

/** Renders the last page of the tab. It names nobody where there is no ID token, for which the keys would be asked. */
function renderPage(says: Told | undefined, asked: readonly string[]): string {
  if (!says) {
    const who = asked.includes('keys') ? ' as person-1' : ''
    return `You are signed in${who} This was the sign-in to PROVIDER. It is for p, with the client desktop. You can close this tab and go back to your work.`
  }
  const [, message, hint] = says
  return `You are not signed in ${toSentence(message)} What to do ${toSentence(hint)} You can close this tab.`
}

/** As the last page has it: no full stop after an address. */
function toSentence(text: string): string {
  const end = /:\/\/\S+$/.test(text) ? '' : '.'
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${end}`
}
