import { credentialProcessVariable, cycleNotice } from '../../runtime/credential-process.ts'
import type { Environment } from '../../runtime/environment.ts'
import { HelperError } from '../../runtime/failure.ts'

/**
 * A helper prints a token for a client, never AWS credentials: started by a profile's `credential_process`, directly
 * or through a script, it would ask that profile again and so itself.
 */
export function refuseInsideCredentialProcess(env: Environment): void {
  const profile = env[credentialProcessVariable]
  if (!profile) return
  throw new HelperError(
    'not-configured',
    `the credential_process of profile "${profile}" ${cycleNotice}`,
    `give profile "${profile}" a credential_process that prints AWS credentials, or another kind of credentials`,
  )
}
