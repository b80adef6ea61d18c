import { HelperError } from '../failure.ts'
import type { Environment } from '../run-process.ts'

/**
 * The environment variable of a `credential_process` with the profiles that have led to it, one a line, its own last. With it a helper that
 * is started there, directly or through a script, can name the cycle.
 */
export const credentialProcessVariable = 'GATEPASS_CREDENTIAL_PROCESS_OF'

/** A part of that helper's message. The helper that started it recognizes the cycle by these words, whatever script is between them. */
export const cycleNotice = 'is a credential helper, which would ask that profile again'

/** Creates the failure of a profile whose `credential_process` is a helper that would ask that profile again. */
export function createCycleFailure(profile: string, hint = toKeysHint(profile)): HelperError {
  return new HelperError('not-configured', `the credential_process of profile "${profile}" ${cycleNotice}`, hint)
}

function toKeysHint(profile: string): string {
  return `give profile "${profile}" a credential_process that prints AWS credentials, or another kind of credentials`
}

/** Lists the profiles whose running `credential_process` has led to this program, the outermost first. */
export function listAskedProfiles(env: Environment): string[] {
  return (env[credentialProcessVariable] ?? '').split('\n').filter((name) => name !== '')
}
