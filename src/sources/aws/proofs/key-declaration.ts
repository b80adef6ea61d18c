// Declares the options, the diagnosis and the permissions of a helper that makes short-term keys.

import { keyServices, longestKeyLifeSec } from '../../../contract/aws/keys.ts'
import { selectPartition } from '../../../contract/aws/partitions.ts'
import type { Permission } from '../../../helper/diagnosis.ts'
import type { Options, OptionTable } from '../../../helper/options/option-table.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { vendor } from '../../../vendor.ts'
import { refuseUnsendableWorkspace } from '../../workspace-header.ts'
import { awsOptions } from '../credentials/aws-options.ts'
import type { AwsPlan } from '../credentials/credential-source.ts'
import { createAwsDiagnosis } from '../helper-declaration.ts'

const withWorkspace = keyServices.filter(({ workspace }) => workspace === 'required').map(({ name }) => name)

/** The options of a helper that makes short-term keys. */
export const keyOptions = {
  ...awsOptions,
  service: {
    value: keyServices.map(({ name }) => name),
    default: 'bedrock',
    summary: 'the service of AWS that the key is for',
  },
  workspace: {
    value: 'text',
    summary: `for ${withWorkspace.join(', ')}: the ID of the workspace, which is sent as ${vendor.workspaceHeader}`,
    requiredWith: { service: withWorkspace },
  },
  lifetime: {
    value: 'seconds',
    min: 60,
    max: longestKeyLifeSec,
    summary: 'longest life to ask for (default: twice client-ttl)',
  },
} as const satisfies OptionTable

/**
 * Refuses a workspace that is missing, that the service does not know, or that no header can carry.
 * @throws {HelperError} that names the options.
 */
export function refuseWrongWorkspace({ service, workspace }: KeyOptions, program: string): void {
  const isNeeded = withWorkspace.includes(service)
  refuseUnsendableWorkspace({ workspace })
  if (isNeeded === (workspace !== undefined)) return
  if (isNeeded)
    throw new HelperError(
      'not-configured',
      `service is ${service}, and workspace is not set: every request needs the header ${vendor.workspaceHeader}`,
      `name the workspace with --workspace, a variable or a file; see: ${program} --help`,
    )
  throw new HelperError(
    'usage',
    `workspace is set, and service is ${service}, which has no workspaces`,
    `remove workspace, or set service to ${withWorkspace.join(' or ')}`,
  )
}

type KeyOptions = Pick<Options<typeof keyOptions>, 'service' | 'workspace'>

/** The declaration for `--explain` and `gatepass doctor` of a helper that makes short-term keys. */
export const keyDiagnosis = createAwsDiagnosis<Options<typeof keyOptions>, AwsPlan>({
  toAwsPlan: (plan) => plan,
  permissions: listKeyPermissions,
})

/**
 * Lists the permissions that an identity needs for a short-term key and for inference with it: in one workspace if the service has
 * workspaces, otherwise with every model, in its own region or through an inference profile. Source: AWS's Service Authorization Reference.
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
