import { expect, test } from 'vitest'
import helper from '../../../helpers/aws-secret.ts'
import { diagnoseHelper } from '../../../src/helper/run/diagnose-helper.ts'
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
  expect(diagnosed?.diagnosis).toEqual({ identity: expect.any(Array), permissions })
  expect(diagnosed?.diagnosis.identity?.map(({ text }) => text)).toContain('region eu-central-1')
})
