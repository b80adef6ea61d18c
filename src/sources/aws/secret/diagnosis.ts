import { selectPartition } from '../../../contract/aws-partitions.ts'
import { createAwsDiagnosis } from '../diagnosis/aws-diagnosis.ts'
import { toPolicyArn } from './commands.ts'
import type { SecretOptions } from './options.ts'
import type { SecretPlan } from './plan.ts'

/** What `--explain` and `gatepass doctor` are told of a secret: who reads it, and what reading it takes. */
export const secretDiagnosis = createAwsDiagnosis<SecretOptions, SecretPlan>({
  toAwsPlan: ({ aws }) => aws,

  permissions(_options, { stored, aws: { region } }) {
    const { api } = stored
    const { id, suffix } = selectPartition(region)
    return [
      {
        action: api === 'ssm' ? 'ssm:GetParameter' : 'secretsmanager:GetSecretValue',
        resource: toPolicyArn(stored, region),
      },
      // Its own key is not known from here; the condition limits the statement to what this service decrypts.
      {
        action: 'kms:Decrypt',
        resource: `arn:${id}:kms:${region}:*:key/*`,
        condition: { StringEquals: { 'kms:ViaService': `${api}.${region}.${suffix}` } },
      },
    ]
  },
})
