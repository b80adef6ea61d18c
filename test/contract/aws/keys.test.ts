import { expect, test } from 'vitest'
import { findKeyGateway } from '../../../src/contract/aws/keys.ts'

test.each<[host: string, found: [service: string, region: string] | undefined]>([
  ['bedrock-runtime.eu-central-1.amazonaws.com', ['bedrock', 'eu-central-1']],
  ['Bedrock-Runtime.EU-central-1.amazonaws.com', ['bedrock', 'eu-central-1']],
  ['bedrock-runtime-fips.us-gov-west-1.amazonaws.com', ['bedrock', 'us-gov-west-1']],
  ['bedrock-runtime.cn-north-1.amazonaws.com.cn', ['bedrock', 'cn-north-1']],
  ['bedrock-mantle.us-east-1.api.aws', ['bedrock', 'us-east-1']],
  ['vpce-0a1b-x1.bedrock-runtime.us-east-1.vpce.amazonaws.com', ['bedrock', 'us-east-1']],
  ['aws-external-vendor.ap-southeast-2.api.aws', ['aws-external-vendor', 'ap-southeast-2']],
  ['bedrock.us-east-1.amazonaws.com', undefined],
  ['aws-external-other.us-east-1.api.aws', undefined],
  ['bedrock-runtime.us-east-1.amazonaws.com.evil.example', undefined],
  ['bedrock-runtime.example.com', undefined],
  ['gateway.example.com', undefined],
  ['127.0.0.1', undefined],
])('the host %s belongs to %j', (host, found) => {
  const gateway = findKeyGateway(host)
  expect(gateway && [gateway.service.name, gateway.region]).toEqual(found)
})
