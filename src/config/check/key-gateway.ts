import { findKeyGateway, type KeyGateway } from '../../contract/aws-keys.ts'
import type { HelperScriptCredential } from '../document.ts'
import type { Finding } from '../finding.ts'
import { createFinding } from '../finding.ts'
import { toCredentialPath as at, type HelperFacts, type Subject } from './rule.ts'

/** Validates that the helper makes its AWS keys for the service and the region that the gateway's host names. */
export function validateKeyGateway(
  _credential: HelperScriptCredential,
  subject: Subject,
  { keyService, region }: HelperFacts,
): Finding[] {
  const { baseUrl } = subject.inference
  const gateway = baseUrl === undefined ? undefined : findKeyGateway(new URL(baseUrl).hostname)
  if (!gateway || !keyService) return []
  if (keyService.name !== gateway.service.name) return [reportService(gateway, keyService, subject)]
  if (region === undefined || region === gateway.region) return []
  return [
    createFinding(
      'gateway-region',
      subject.spell(at('args')),
      `the gateway is in ${gateway.region}, and the helper makes keys for ${region}`,
      `set the helper's region to ${gateway.region}`,
    ),
  ]
}

function reportService(
  { service }: KeyGateway,
  { name, isSet }: NonNullable<HelperFacts['keyService']>,
  { spell }: Subject,
): Finding {
  const path = spell(at('args'))
  const gateway = `the gateway belongs to ${service.name}`
  const more = service.workspace === 'required' ? ', and "--workspace" with the ID of the workspace' : ''
  const fix = `"--service", "${service.name}"${more}`
  if (isSet)
    return createFinding(
      'gateway-service',
      path,
      `${gateway}, and the helper makes keys for ${name}`,
      `set ${fix} in ${path}`,
    )
  const message = `${gateway}, and unless a file on each machine says so, the helper makes keys for ${name}`
  return createFinding('gateway-service-unset', path, message, `add ${fix} to ${path}`)
}
