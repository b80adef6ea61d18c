import type { Environment } from './environment.ts'

/**
 * Holds the profile's name in the environment of its `credential_process`, after those of the profiles whose `credential_process`
 * has led there, one a line, so that a helper of ours that is started there, directly or through a script, can name the cycle.
 */
export const credentialProcessVariable = 'GATEPASS_CREDENTIAL_PROCESS_OF'

/** Part of that helper's message. The helper that started it recognizes the cycle by it, whatever script lies between. */
export const cycleNotice = 'is a credential helper, which would ask that profile again'

/** The profiles whose `credential_process` is running and has led to this program, the first one first. */
export function listAskedProfiles(env: Environment): string[] {
  return (env[credentialProcessVariable] ?? '').split('\n').filter((name) => name !== '')
}
