import { type FindReason, isByCode, isRenewal, type Reason } from './refusal.ts'

/** What a person can always do when a sign-in cannot be renewed. */
export const newSessionHint = 'start a new session, so that a person can sign in'

/** The registration or the settings are wrong. */
export function createSettingReason(problem: string, hint: string): FindReason {
  return () => ({ kind: 'not-configured', problem, hint })
}

/** Somebody else than the person decides. */
export function createPolicyReason(problem: string, hint: string): FindReason {
  return () => ({ kind: 'refused', problem, hint })
}

/** What a new sign-in of the person resolves: at a renewal a person is needed, in a sign-in that is under way it begins anew. */
export function createPersonReason(problem: string, hint = 'start again'): FindReason {
  return (facts): Reason =>
    isRenewal(facts) ? { kind: 'sign-in-required', problem, hint: newSessionHint } : { kind: 'refused', problem, hint }
}

/** What a browser on this machine may satisfy and a code never does. */
export function createBrowserReason(problem: string, hint: string): FindReason {
  return (facts) =>
    isByCode(facts)
      ? { kind: 'refused', problem, hint: 'sign in with a browser on this machine: --sign-in browser' }
      : createPersonReason(problem, hint)(facts)
}

/** The provider may do it later. */
export function createOutageReason(problem: string): FindReason {
  return () => ({ kind: 'unavailable', problem, hint: 'try again in a moment' })
}

/** The redirect URI has to be registered, exactly. */
export const registerRedirect: FindReason = ({ registration }) => ({
  kind: 'not-configured',
  problem: 'names a redirect URI that is not registered',
  hint: registration.registerRedirect,
})

/** The client has to be one without a secret. */
export const makePublic: FindReason = ({ registration }) => ({
  kind: 'not-configured',
  problem: 'was refused, because the client is registered as one with a secret',
  hint: registration.makePublic,
})
