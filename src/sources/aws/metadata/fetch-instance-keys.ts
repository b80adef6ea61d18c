import type { NetworkCall } from '../../../helper/define-helper.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { refusePlainHttp } from '../../../runtime/network/loopback.ts'
import { isMetadataHost } from '../../../runtime/network/network-scope.ts'
import { parseObject } from '../../../runtime/parse-object.ts'
import { fetchMetadata, instanceService } from './fetch-metadata.ts'
import { type MetadataKeys, parseMetadataKeys } from './parse-keys.ts'

/** The instance metadata service, and what to do where it gives no credentials. */
export interface InstanceService {
  readonly endpoint: string
  /** Imperative. */
  readonly hint: string
}

const tokenPath = '/latest/api/token'
const rolesPath = '/latest/meta-data/iam/security-credentials/'

/**
 * Gets the keys of this instance's role. Every request carries a session token (IMDSv2); one without is never sent, because
 * whatever forwards requests for others could be made to fetch the keys that way.
 * @throws {HelperError}
 */
export async function fetchInstanceKeys({ endpoint, hint }: InstanceService, call: NetworkCall): Promise<MetadataKeys> {
  const base = parseEndpoint(endpoint)
  const send = (path: string, init: RequestInit) => fetchMetadata(call, { url: new URL(path, base), hint }, init)
  const lifeSec = { 'x-aws-ec2-metadata-token-ttl-seconds': '21600' }
  const token = await send(tokenPath, { method: 'PUT', headers: lifeSec })
  const headers = { 'x-aws-ec2-metadata-token': token }
  const role = await send(rolesPath, { headers })
  return parseKeys(await send(`${rolesPath}${encodeURIComponent(role.trim())}`, { headers }), hint)
}

function parseEndpoint(endpoint: string): URL {
  const url = URL.parse(endpoint)
  if (!url?.hostname || !/^https?:$/.test(url.protocol))
    throw new HelperError(
      'not-configured',
      `the address of ${instanceService} is not a web address`,
      'correct or remove AWS_EC2_METADATA_SERVICE_ENDPOINT, or ec2_metadata_service_endpoint of the profile',
    )
  if (!isMetadataHost(url.hostname)) refusePlainHttp(url, 'AWS_EC2_METADATA_SERVICE_ENDPOINT')
  return url
}

function parseKeys(text: string, hint: string): MetadataKeys {
  const keys = parseMetadataKeys(text)
  if (keys) return keys
  const code = describeCode(parseObject(text)?.Code)
  throw new HelperError('refused', `${instanceService} gave no credentials${code}`, hint)
}

/** The service says why in a code, such as `AssumeRoleUnauthorizedAccess`; only what looks like one is repeated. */
function describeCode(code: unknown): string {
  return typeof code === 'string' && /^\w{1,80}$/.test(code) ? ` (${code})` : ''
}
