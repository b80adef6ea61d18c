import { type FindReason, isByCode, isRenewal, type Reason } from './refusal.ts'

/** The hint that is always right when a sign-in cannot be renewed. */
export const newSessionHint = 'start a new session, so that a person can sign in'

/** A reason for which the registration or the settings have to be corrected, mostly by an administrator. */
export function createSettingReason(problem: string, hint: string): FindReason {
  return () => ({ kind: 'not-configured', problem, hint: toAdministratorHint(hint) })
}

/** Says that a hint is for the administrator, because the person who signs in can rarely follow it. */
export function toAdministratorHint(hint: string): string {
  return `tell your administrator: ${hint}`
}

/** A reason about which somebody other than the person decides. */
export function createPolicyReason(problem: string, hint: string): FindReason {
  return () => ({ kind: 'refused', problem, hint })
}

/** A reason that a new sign-in resolves: a renewal needs a person, and a sign-in that is under way has to begin anew. */
export function createPersonReason(problem: string, hint = 'start again'): FindReason {
  return (facts): Reason =>
    isRenewal(facts) ? { kind: 'sign-in-required', problem, hint: newSessionHint } : { kind: 'refused', problem, hint }
}

/** A reason that a sign-in in a browser on this machine may resolve, but a sign-in with a code never does. */
export function createBrowserReason(problem: string, hint: string): FindReason {
  return (facts) =>
    isByCode(facts)
      ? { kind: 'refused', problem, hint: 'sign in with a browser on this machine: --sign-in browser' }
      : createPersonReason(problem, hint)(facts)
}

/** A reason that may pass. */
export function createOutageReason(problem: string): FindReason {
  return () => ({ kind: 'unavailable', problem, hint: 'try again in a moment' })
}

/** The redirect URI has to be registered exactly. */
export const registerRedirect: FindReason = ({ registration }) => ({
  kind: 'not-configured',
  problem: 'names a redirect URI that is not registered',
  hint: toAdministratorHint(registration.registerRedirect),
})

/** The client has to be a public client. */
export const makePublic: FindReason = ({ registration }) => ({
  kind: 'not-configured',
  problem: 'was refused, because the client is registered as one with a secret',
  hint: toAdministratorHint(registration.makePublic),
})
