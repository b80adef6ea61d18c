import type { Call, Plan } from '../../../helper/define-helper.ts'
import type { CommonOptions } from '../../../helper/options/table.ts'
import type { Host } from '../../../runtime/host.ts'
import type { WorkloadPlan } from '../../exchange/plan.ts'
import { type AwsPlan, planAwsCredentials } from '../credentials/plan.ts'
import type { WebIdentityRequest } from '../web-identity/web-identity.ts'
import type { IdentityTokenOptions } from './options.ts'
import { parseIdentityRequest } from './parse-request.ts'

/** What AWS STS is asked for, with whose credentials, and what the token is exchanged for. */
export interface IdentityTokenPlan extends Plan {
  readonly request: WebIdentityRequest
  readonly aws: AwsPlan
  /** `undefined` where the token itself is printed. */
  readonly exchange: WorkloadPlan | undefined
}

/** Finds the credentials, and where an exchange is asked for its target. @throws {HelperError} */
export async function planIdentityToken(
  host: Host,
  options: IdentityTokenOptions & CommonOptions,
  call: Pick<Call, 'program'>,
): Promise<IdentityTokenPlan> {
  const request = parseIdentityRequest(options)
  const aws = await planAwsCredentials(host, options)
  // Loaded here, because only an exchange needs it.
  const exchange = options.exchange
    ? (await import('./plan-exchange.ts')).planExchange({ host, options, program: call.program }, request, aws)
    : undefined
  const own = `an identity token for ${request.audiences.join(', ')}, signed with ${request.algorithm}`
  const { inputs, isSignedOut, sourceKind } = aws
  const steps = [own, ...aws.steps, ...(exchange?.steps ?? [])]
  return { request, aws, exchange, inputs, isSignedOut, sourceKind, steps }
}
