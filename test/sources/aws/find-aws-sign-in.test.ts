import { expect, test } from 'vitest'
import { HelperError } from '../../../src/runtime/failure.ts'
import type { AwsPlan } from '../../../src/sources/aws/credentials/credential-source.ts'
import type { EndpointSettings } from '../../../src/sources/aws/endpoint-settings.ts'
import { createLoginFlow, createSsoFlow, findAwsSignIn } from '../../../src/sources/aws/find-aws-sign-in.ts'
import { testHost } from '../../setup/test-host.ts'
import { session, startSsoBench, startUrl } from './sso/sso-bench.ts'

test('browser excludes the code, with which alone a profile without sso_session can sign in', async () => {
  await using bench = await startSsoBench()
  const { host, call, endpoints, region } = bench.parts
  const from = { kind: 'sso', profile: 'old', startUrl, region, account: '111122223333', role: 'dev' } as const
  const source = { kind: 'role', profile: 'build', roleArn: 'r', region, durationSec: 900, from } as const
  const files = { configPath: '/c', profilePaths: {}, profiles: {}, ssoSessions: {} }
  const plan = { source, region, endpoints, files, describeRenewal: () => '' } as unknown as AwsPlan // nothing else is used
  const signIn = findAwsSignIn(plan, {
    host: host as never,
    call,
    options: { 'sign-in': 'browser', browser: undefined },
  })
  const refusal = new HelperError(
    'not-configured',
    'sign-in is browser, and profile "old" names no sso_session, which AWS needs for a sign-in by browser',
    'write an [sso-session …] section and name it in the profile, or set sign-in to auto or device',
  )
  expect({
    isDone: await signIn?.isDone(),
    completed: await signIn?.complete().catch((thrown: unknown) => thrown),
    performed: await signIn?.perform().catch((thrown: unknown) => thrown),
    asked: bench.asked(),
  }).toEqual({ isDone: false, completed: refusal, performed: refusal, asked: [] })
})

const usual: EndpointSettings = { fips: false, dualStack: false, sts: 'regional', configured: {} }
const at = (text: string, setting: string) => {
  const address = { text, setting }
  return { ...usual, configured: { 'sso-oidc': address, signin: address } }
}

test.each(['sso', 'login'] as const)('runs of %s join a sign-in only where they ask the same address', async (kind) => {
  const host = await testHost()
  const toId = (endpoints: EndpointSettings) => {
    const common = { endpoints, renewalHint: 'h' }
    if (kind === 'sso') return createSsoFlow({ ...common, session, paths: '/config' }, host).id
    return createLoginFlow({ ...common, profile: 'dev', session: 'arn', region: 'eu-central-1' }, host).id
  }
  const one = toId(at('https://one.example', 'AWS_ENDPOINT_URL'))
  const two = toId(at('https://two.example', 'AWS_ENDPOINT_URL'))
  const ids = [toId(usual), toId({ ...usual, fips: true }), toId({ ...usual, dualStack: true }), one, two]
  const same = [toId({ ...usual, sts: 'legacy' }), toId(at('https://one.example', 'another setting'))]
  expect({ different: [...new Set(ids)], same }).toEqual({ different: ids, same: [ids[0], one] })
})
