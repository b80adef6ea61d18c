import { credentialProcessVariable, cycleNotice } from '../../runtime/credential-process.ts'
import type { Environment } from '../../runtime/environment.ts'
import { HelperError } from '../../runtime/failure.ts'

/**
 * Refuses to run inside a profile's `credential_process`: it prints no AWS credentials, and would ask
 * that profile again and so start itself.
 * @throws {HelperError} `not-configured` that names the profile.
 */
export function refuseRecursion(env: Environment): void {
  const profile = env[credentialProcessVariable]
  if (!profile) return
  throw new HelperError(
    'not-configured',
    `the credential_process of profile "${profile}" ${cycleNotice}`,
    `give profile "${profile}" a credential_process that prints AWS credentials, or another kind of credentials`,
  )
}
