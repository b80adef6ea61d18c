import { expect, test } from 'vitest'
import helper from '../../../helpers/aws-secret.ts'
import { diagnoseHelper } from '../../../src/helper/run/diagnose-helper.ts'
import { toStableValue } from '../../setup/to-stable-text.ts'
import { program, startDesk } from './desk.ts'

const decrypt = (service: string) => ({
  action: 'kms:Decrypt',
  resource: 'arn:aws:kms:eu-central-1:*:key/*',
  condition: { StringEquals: { 'kms:ViaService': `${service}.eu-central-1.amazonaws.com` } },
})

test.each<[argv: string[], permissions: object[]]>([
  [
    ['--secret', 'ai/key'],
    [
      {
        action: 'secretsmanager:GetSecretValue',
        resource: 'arn:aws:secretsmanager:eu-central-1:*:secret:ai/key-??????',
      },
      decrypt('secretsmanager'),
    ],
  ],
  [
    ['--parameter', '/ai/key:3'],
    [{ action: 'ssm:GetParameter', resource: 'arn:aws:ssm:eu-central-1:*:parameter/ai/key' }, decrypt('ssm')],
  ],
])('doctor is told what reading %j takes, and who reads', async (argv, permissions) => {
  const desk = await startDesk()
  const diagnosed = await diagnoseHelper(program, helper, await desk.createHost({ argv }), 'failed')
  expect(toStableValue(diagnosed?.diagnosis)).toEqual({
    identity: [
      { status: 'good', text: "clock: this machine's agrees with that of AWS STS" },
      {
        status: 'note',
        text: 'profile "dev": access key AKIASTANDIN000000001, a long-term key, which is valid until somebody deletes it',
        details: [
          '  region: TEMPORARY/.aws/config:2',
          '  aws_access_key_id: TEMPORARY/.aws/credentials:2',
          '  aws_secret_access_key: TEMPORARY/.aws/credentials:3',
        ],
        hint: 'use keys that end by themselves: a sign-in (aws configure sso) or a role',
      },
      { status: 'good', text: 'region eu-central-1' },
      { status: 'good', text: 'caller: arn:aws:iam::111122223333:user/dev' },
      {
        status: 'unknown',
        text: "second opinion: it is not known what the AWS SDK's chain gives: the process in which the AWS SDK runs gave no answer: it was not-started",
      },
    ],
    permissions,
  })
})
