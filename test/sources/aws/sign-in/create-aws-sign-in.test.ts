import { expect, test } from 'vitest'
import type { AwsPlan } from '../../../../src/sources/aws/credentials/plan.ts'
import { createAwsSignIn } from '../../../../src/sources/aws/sign-in/create-aws-sign-in.ts'
import { startSsoBench, startUrl } from '../sso/sso-bench.ts'

test('browser rules out the code, with which alone a profile without sso_session can sign in', async () => {
  await using bench = await startSsoBench()
  const { host, call, endpoints, region } = bench.parts
  const from = { ...{ kind: 'sso', profile: 'old', startUrl, region, account: '111122223333' }, role: 'dev' } as const
  const source = { ...{ kind: 'role', profile: 'build', roleArn: 'r', region, durationSec: 900 }, from } as const
  const files = { configPath: '/c', profilePaths: {}, profiles: {}, ssoSessions: {} }
  const plan = { source, region, endpoints, files } as unknown as AwsPlan // nothing else is used
  const signIn = createAwsSignIn(plan, {
    host: host as never,
    call,
    options: { 'sign-in': 'browser', browser: undefined },
  })
  const refusal = {
    kind: 'not-configured',
    message: 'sign-in is browser, and profile "old" names no sso_session, with which alone AWS signs in by a browser',
    hint: 'write an [sso-session …] section and name it in the profile, or set sign-in to auto or device',
  }
  expect(await signIn?.isDone()).toBe(false)
  await expect(signIn?.complete()).rejects.toMatchObject(refusal)
  await expect(signIn?.perform()).rejects.toMatchObject(refusal)
  expect(bench.asked()).toEqual([])
})
