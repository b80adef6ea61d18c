import type { OutputFormat } from '../../contract/formats/output-format.ts'
import { cycleNotice, listAskedProfiles } from '../../runtime/credential-process.ts'
import type { Environment } from '../../runtime/environment.ts'
import { HelperError } from '../../runtime/failure.ts'

/**
 * Refuses to run inside a profile's `credential_process`, unless AWS credentials are what is printed: otherwise it would ask that
 * profile again and so start itself.
 * @throws {HelperError} `not-configured` that names the profile.
 */
export function refuseRecursion(env: Environment, format: OutputFormat): void {
  const profile = listAskedProfiles(env).at(-1)
  if (profile === undefined || format === 'credential-process') return
  throw new HelperError(
    'not-configured',
    `the credential_process of profile "${profile}" ${cycleNotice}`,
    `give profile "${profile}" a credential_process that prints AWS credentials, or another kind of credentials`,
  )
}
