import { HelperError } from '../../runtime/failure.ts'
import type { OpenSignIn } from './client-sign-in.ts'

/** For a client that nobody is in front of: no browser opens, and every sign-in fails with a message that says so. */
export const refuseSignIns: OpenSignIn = () => {
  const refuse = async () => ({ ok: false, failure: noPerson, durationMs: 0 }) as const
  return { signIn: refuse, renew: refuse }
}

const noPerson = new HelperError(
  'sign-in-required',
  'this client has no way to sign a person in',
  'give it one; see the page of the library',
)
