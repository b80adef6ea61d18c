import { expect, test } from 'vitest'
import type { Permission } from '../../../../src/helper/diagnosis.ts'
import { listKeyPermissions } from '../../../../src/sources/aws/proofs/key-declaration.ts'
import { vendor } from '../../../../src/vendor.ts'

const external = vendor.awsService
const models = (partition: string) => [
  `arn:${partition}:bedrock:*::foundation-model/*`,
  `arn:${partition}:bedrock:*:*:inference-profile/*`,
]

test.each<[service: string, workspace: string | undefined, region: string, permissions: Permission[]]>([
  [
    'bedrock',
    undefined,
    'us-gov-west-1',
    [
      { action: 'bedrock:CallWithBearerToken', resource: '*' },
      { action: 'bedrock:InvokeModel', resource: models('aws-us-gov') },
      { action: 'bedrock:InvokeModelWithResponseStream', resource: models('aws-us-gov') },
    ],
  ],
  [
    external,
    'wrkspc_1',
    'us-west-2',
    [
      { action: `${external}:CallWithBearerToken`, resource: '*' },
      { action: `${external}:CreateInference`, resource: `arn:aws:${external}:us-west-2:*:workspace/wrkspc_1` },
    ],
  ],
])('a key for %s in workspace %s of %s takes the permissions %j', (service, workspace, region, permissions) => {
  expect(listKeyPermissions({ service, workspace }, { region })).toEqual(permissions)
})
