import { expect, test } from 'vitest'
import type { EndpointSettings } from '../../../../../src/sources/aws/endpoints/endpoint-settings.ts'
import { createLoginFlow } from '../../../../../src/sources/aws/login/sign-in/login-flow.ts'
import { createSsoFlow } from '../../../../../src/sources/aws/sso/sign-in/sso-flow.ts'
import { testHost } from '../../../../setup/test-host.ts'
import { session } from '../sso-bench.ts'

const usual: EndpointSettings = { fips: false, dualStack: false, sts: 'regional', configured: {} }
const at = (text: string, setting: string) => {
  const address = { text, setting }
  return { ...usual, configured: { 'sso-oidc': address, signin: address } }
}

test.each(['sso', 'login'] as const)('%s: runs join a sign-in only where they ask the same address', async (kind) => {
  const host = await testHost()
  const toId = (endpoints: EndpointSettings) => {
    const common = { endpoints, renewalHint: 'h' }
    if (kind === 'sso') return createSsoFlow({ ...common, session, place: '/config' }, host).id
    return createLoginFlow({ ...common, profile: 'dev', session: 'arn', region: 'eu-central-1' }, host).id
  }
  const one = toId(at('https://one.example', 'AWS_ENDPOINT_URL'))
  const two = toId(at('https://two.example', 'AWS_ENDPOINT_URL'))
  const ids = [toId(usual), toId({ ...usual, fips: true }), toId({ ...usual, dualStack: true }), one, two]
  expect(new Set(ids).size).toBe(ids.length)
  expect(toId(at('https://one.example', 'another setting'))).toBe(one)
  expect(toId({ ...usual, sts: 'legacy' })).toBe(ids[0])
})
