import { selectPartition } from '../../../contract/aws-partitions.ts'
import type { Permission } from '../../../helper/diagnosis.ts'
import type { Options } from '../../../helper/options/table.ts'
import type { AwsPlan } from '../credentials/plan.ts'
import { createAwsDiagnosis } from '../diagnosis/aws-diagnosis.ts'
import type { keyOptions } from './key-options.ts'

/** What `--explain` and `gatepass doctor` are told of a short-term key. */
export const keyDiagnosis = createAwsDiagnosis<Options<typeof keyOptions>, AwsPlan>({
  toAwsPlan: (plan) => plan,
  permissions: listKeyPermissions,
})

/**
 * What an identity must be allowed for a short-term key, and for inference with it: in one workspace where the service has them,
 * else with every model, in its own region or through an inference profile. AWS's Service Authorization Reference.
 */
export function listKeyPermissions(
  { service, workspace }: Pick<Options<typeof keyOptions>, 'service' | 'workspace'>,
  { region }: Pick<AwsPlan, 'region'>,
): Permission[] {
  const partition = selectPartition(region).id
  const bearer = { action: `${service}:CallWithBearerToken`, resource: '*' }
  if (workspace !== undefined) {
    const resource = `arn:${partition}:${service}:${region}:*:workspace/${workspace}`
    return [bearer, { action: `${service}:CreateInference`, resource }]
  }
  const models = [`arn:${partition}:bedrock:*::foundation-model/*`, `arn:${partition}:bedrock:*:*:inference-profile/*`]
  const actions = ['bedrock:InvokeModel', 'bedrock:InvokeModelWithResponseStream']
  return [bearer, ...actions.map((action) => ({ action, resource: models }))]
}
