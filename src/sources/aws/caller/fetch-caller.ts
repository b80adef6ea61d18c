import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts'
import type { NetworkCall } from '../../../helper/define-helper.ts'
import { HelperError } from '../../../runtime/failure.ts'
import type { EndpointSettings } from '../endpoints/endpoint-settings.ts'
import { createClientSettings } from '../sdk/client-settings.ts'
import { toFailure } from '../sdk/failures.ts'
import { interceptionHint } from '../sdk/interception-hint.ts'

/** Keys in the form in which the SDK signs with them, and AWS's clock less this machine's in milliseconds. */
interface CallerKeys {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
  readonly clockOffsetMs: number | undefined
}

/** Where AWS STS is asked, and what a person does about keys that have expired. */
interface CallerSettings {
  readonly region: string
  readonly endpoints: EndpointSettings
  /** Imperative. */
  readonly renewalHint: string
}

/**
 * Asks AWS STS whose keys these are (`GetCallerIdentity`), which every caller may.
 * @throws {HelperError}
 */
export async function fetchCaller(
  { clockOffsetMs, ...credentials }: CallerKeys,
  { renewalHint, region, endpoints }: CallerSettings,
  call: NetworkCall,
): Promise<{ readonly arn: string; readonly clockOffsetMs: number }> {
  const settings = createClientSettings({ service: 'sts', region, endpoints }, call)
  const { requestHandler } = settings
  const service = `AWS STS in ${region}`
  const client = new STSClient({ ...settings, credentials, systemClockOffset: clockOffsetMs ?? 0 })
  try {
    const { Arn: arn } = await call.deadline.during(requestHandler.describe(service), ({ signal }) =>
      client.send(new GetCallerIdentityCommand({}), { abortSignal: signal }),
    )
    if (arn === undefined || !arn.startsWith('arn:'))
      throw new HelperError('refused', `${service} did not say who the caller is`, interceptionHint)
    return { arn, clockOffsetMs: requestHandler.clockOffsetMs }
  } catch (error) {
    throw toFailure(error, {
      service,
      refusal: 'AWS STS did not say who the caller is',
      hint: 'have the policies of this identity allow sts:GetCallerIdentity, or leave out the headers that need it',
      proof: { name: 'the credentials', renewalHint },
    })
  } finally {
    client.destroy()
  }
}
