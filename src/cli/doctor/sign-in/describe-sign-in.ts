import { renderDuration } from '../../../client/duration.ts'
import type { Part } from '../../../client/examination.ts'
import type { SignInResult } from '../../../client/sign-in/client-sign-in.ts'

/** One sign-in of a person, and its renewal where there is a refresh token; pure. */
export function describeSignIn(first: SignInResult, renewal: SignInResult | undefined): Part {
  if (!first.ok) {
    const { message, hint } = first.failure
    return { part: 'sign-in', outcome: 'bad', lines: [message], hint }
  }
  const done = `a person signed in, after ${renderDuration(Math.round(first.durationMs / 1000))}`
  const life = first.lifeSec === undefined ? [] : [`the token lives ${renderDuration(Math.round(first.lifeSec))}`]
  const lines = [done, ...life]
  if (!renewal)
    return {
      part: 'sign-in',
      outcome: 'note',
      lines: [...lines, 'the provider gave no refresh token'],
      hint: 'have it issue one, or people sign in again whenever a token expires',
    }
  if (renewal.ok)
    return { part: 'sign-in', outcome: 'good', lines: [...lines, 'it was renewed once, without the person'] }
  const { message, hint } = renewal.failure
  return { part: 'sign-in', outcome: 'bad', lines: [...lines, `it cannot be renewed: ${message}`], hint }
}
