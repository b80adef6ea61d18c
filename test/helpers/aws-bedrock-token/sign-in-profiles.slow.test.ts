import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { toStableValue } from '../../setup/to-stable-text.ts'
import { expectToken } from './read-token.ts'
import { inMinutes, signInToConsole, signInToSso } from './sign-in.ts'
import { startWorkbench, user } from './workbench.ts'

const argv = ['--profile', 'dev']

test('a fresh sign-in to an SSO session gets the role’s credentials', async () => {
  await using bench = await startWorkbench()
  await signInToSso(bench, { refreshToken: 'canary-refresh' })
  expectToken(await bench.run({ argv }), bench.aws, 'ASIASTANDIN000000001')
  expect(bench.aws.requests).toEqual([
    {
      operation: 'GetRoleCredentials',
      parameters: { account_id: '111122223333', role_name: 'Builder' },
      status: 200,
    },
  ])
})

test('an expired SSO access token is renewed without a person, and stored for the other AWS tools', async () => {
  await using bench = await startWorkbench()
  const directory = await signInToSso(bench, { expiresAt: inMinutes(-5), refreshToken: 'canary-refresh' })
  expectToken(await bench.run({ argv }), bench.aws, 'ASIASTANDIN000000001')
  expect(bench.asked()).toEqual(['CreateToken', 'GetRoleCredentials'])
  expect(toStableValue(JSON.parse(await readFile(directory.ssoCachePath('corp'), 'utf8')))).toEqual({
    startUrl: 'https://corp.awsapps.example/start',
    region: 'us-west-2',
    clientId: 'client-1',
    clientSecret: 'canary-client',
    accessToken: 'canary-access-refreshed',
    expiresAt: 'DATE',
    refreshToken: 'canary-refresh-refreshed',
  })
})

test('the older form, with the sign-in in the profile itself, is used while its access token is valid', async () => {
  await using bench = await startWorkbench()
  await signInToSso(bench)
  expectToken(await bench.run({ argv: ['--profile', 'old'] }), bench.aws, 'ASIASTANDIN000000001')
  expect(bench.asked()).toEqual(['GetRoleCredentials'])
})

test('a fresh console sign-in is used unchanged', async () => {
  await using bench = await startWorkbench()
  await signInToConsole(bench, user, inMinutes(60))
  expectToken(await bench.run({ argv }), bench.aws, 'ASIASTANDIN000000001')
  expect(bench.asked()).toEqual([])
})

test('an expired console sign-in is renewed, and the client learns of its 15 minutes', async () => {
  await using bench = await startWorkbench()
  await signInToConsole(bench, user, inMinutes(-5))
  expectToken(await bench.run({ argv: [...argv, '--client-ttl', '600'] }), bench.aws, 'ASIASTANDIN000000002')
  expect(bench.asked()).toEqual(['CreateOAuth2Token'])
})
