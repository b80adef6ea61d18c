import { expect, test } from 'vitest'
import { parsePrincipal } from '../../../src/contract/aws/caller-identity.ts'

const account = '111122223333'

test.each<[arn: string, principal: ReturnType<typeof parsePrincipal>]>([
  [`arn:aws:iam::${account}:user/dev`, { account }],
  [`arn:aws:iam::${account}:user/a/path/dev`, { account }],
  [`arn:aws:iam::${account}:root`, { account }],
  [`arn:aws:sts::${account}:federated-user/dev`, { account }],
  [`arn:aws:sts::${account}:assumed-role/Build/ci-7`, { account, role: 'Build', sessionName: 'ci-7' }],
  [`arn:aws-cn:sts::${account}:assumed-role/Build/a:b`, { account, role: 'Build', sessionName: 'a:b' }],
  [
    `arn:aws:sts::${account}:assumed-role/AWSReservedSSO_Dev_0a/dana@corp.example`,
    { account, role: 'AWSReservedSSO_Dev_0a', sessionName: 'dana@corp.example' },
  ],
  [`arn:aws:sts::${account}:assumed-role/Build`, { account }],
  ['arn:aws:sts', {}],
  ['', {}],
])('%s says who the caller is', (arn, principal) => {
  expect(parsePrincipal(arn)).toEqual(principal)
})
