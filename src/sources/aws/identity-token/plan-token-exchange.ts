import type { CommonOptions } from '../../../helper/options/every-helper-options.ts'
import { describeSetting, HelperError } from '../../../runtime/failure.ts'
import type { Host } from '../../../runtime/host.ts'
import { describeTarget, toTarget } from '../../exchange/exchange-target.ts'
import type { WorkloadPlan } from '../../exchange/plan-workload.ts'
import type { WebIdentityRequest } from '../../identity/aws-web-identity.ts'
import { createAwsSource } from '../../identity/prepare-aws.ts'
import type { AwsPlan } from '../credentials/credential-source.ts'
import type { IdentityTokenOptions } from './identity-token-options.ts'

/** Plans the exchange of identity tokens from AWS STS, which issues a new one each time. @throws {HelperError} */
export function planExchange(
  { host, options, program }: PlanInputs,
  request: WebIdentityRequest,
  aws: AwsPlan,
): WorkloadPlan {
  const target = toTarget(requireTarget(options, program))
  const source = createAwsSource(request, { host, plan: aws, path: options.path })
  return { source, supply: 'created', target, reuse: 'never', inputs: aws.inputs, steps: [describeTarget(target)] }
}

interface PlanInputs {
  readonly host: Host
  readonly options: IdentityTokenOptions & CommonOptions
  readonly program: string
}

/** Requires the options of the target. @throws {HelperError} `not-configured` that names each missing one. */
function requireTarget(options: PlanInputs['options'], program: string) {
  const { 'base-url': baseUrl, organization, 'federation-rule': rule } = options
  if (baseUrl !== undefined && organization !== undefined && rule !== undefined)
    return { ...options, 'base-url': baseUrl, organization, 'federation-rule': rule }
  const missing = (['base-url', 'organization', 'federation-rule'] as const).filter(
    (name) => options[name] === undefined,
  )
  throw new HelperError(
    'not-configured',
    `exchange is set, and ${missing.join(', ')} ${missing.length > 1 ? 'are' : 'is'} not`,
    describeSetting(program, missing.length > 1 ? 'them' : 'it'),
  )
}
