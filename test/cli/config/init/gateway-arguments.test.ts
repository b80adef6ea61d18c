import { expect, test } from 'vitest'
import { importHelper } from '../../../../pkg-scripts/tree.ts'
import { chooseGatewayArguments } from '../../../../src/cli/config/init/collect-helper.ts'

const external = 'https://aws-external-vendor.eu-west-1.api.aws'

test.each<[helper: string, baseUrl: string, given: string[], args: string[]]>([
  ['aws-bedrock-token', 'https://gateway.example.com', [], []],
  ['aws-bedrock-token', 'https://bedrock-mantle.eu-west-1.api.aws', [], ['--region', 'eu-west-1']],
  ['aws-bedrock-token', external, [], ['--service', 'aws-external-vendor', '--region', 'eu-west-1']],
  ['aws-bedrock-token', external, ['--region=us-east-1', '--service', 'bedrock'], []],
  ['workload-token', external, [], []],
  ['aws-bedrock-token', 'no URL', [], []],
])('%s for %s with %j gets %j', async (helper, baseUrl, given, args) => {
  expect(chooseGatewayArguments(await importHelper(helper), baseUrl, given)).toEqual(args)
})
