import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts'
import type { NetworkCall } from '../../../helper/define-helper.ts'
import type { EndpointSettings } from '../endpoint-settings.ts'
import { toFailure } from '../request/request-failures.ts'
import { type SigningKeys, toSdkKeys } from '../request/signing-keys.ts'
import { resolveEndpoint } from '../resolve-endpoint.ts'
import { RequestHandler } from './request-handler.ts'

/**
 * Asks AWS STS through its own client whose keys these are.
 * @throws {HelperError}
 */
export async function askSts(
  keys: SigningKeys,
  { region, endpoints }: StsEndpoint,
  { deadline, network }: Pick<NetworkCall, 'deadline' | 'network'>,
): Promise<{ readonly arn: string }> {
  const requestHandler = new RequestHandler(network)
  const endpoint = resolveEndpoint({ service: 'sts', region }, endpoints)
  const client = new STSClient({
    credentials: toSdkKeys(keys),
    region: endpoint.region,
    endpoint: endpoint.url.href,
    maxAttempts: 3,
    requestHandler,
  })
  try {
    const { Arn = '' } = await deadline.during('network', 'AWS STS', ({ signal }) =>
      client.send(new GetCallerIdentityCommand({}), { abortSignal: signal }),
    )
    return { arn: Arn }
  } catch (error) {
    throw toFailure(requestHandler.failure ?? error, {
      service: 'AWS STS',
      refusal: 'AWS STS did not say who the caller is',
      hint: 'have the policies of this identity allow sts:GetCallerIdentity',
      proof: { name: 'the credentials', renewalHint: 'sign in again, or set current keys' },
    })
  }
}

/** The region and endpoint of AWS STS. */
interface StsEndpoint {
  readonly region: string
  readonly endpoints: EndpointSettings
}
