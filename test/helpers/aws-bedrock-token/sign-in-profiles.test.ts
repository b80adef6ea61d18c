import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
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

test('an SSO access token that has expired is renewed without a person, and kept for the other AWS tools', async () => {
  await using bench = await startWorkbench()
  const directory = await signInToSso(bench, { expiresAt: inMinutes(-5), refreshToken: 'canary-refresh' })
  expectToken(await bench.run({ argv }), bench.aws, 'ASIASTANDIN000000001')
  expect(bench.asked()).toEqual(['CreateToken', 'GetRoleCredentials'])
  expect(JSON.parse(await readFile(directory.ssoCachePath('corp'), 'utf8'))).toMatchObject({
    accessToken: 'canary-access-refreshed',
    refreshToken: 'canary-refresh-refreshed',
  })
})

test('the older form, with the sign-in in the profile itself, works as long as its access token does', async () => {
  await using bench = await startWorkbench()
  await signInToSso(bench)
  expectToken(await bench.run({ argv: ['--profile', 'old'] }), bench.aws, 'ASIASTANDIN000000001')
  expect(bench.asked()).toEqual(['GetRoleCredentials'])
})

test('a console sign-in that is fresh is used as it is', async () => {
  await using bench = await startWorkbench()
  await signInToConsole(bench, user, inMinutes(60))
  expectToken(await bench.run({ argv }), bench.aws, 'ASIASTANDIN000000001')
  expect(bench.asked()).toEqual([])
})

test('a console sign-in that has ended is renewed, and its 15 minutes are what the client is told of', async () => {
  await using bench = await startWorkbench()
  await signInToConsole(bench, user, inMinutes(-5))
  expectToken(await bench.run({ argv: [...argv, '--client-ttl', '600'] }), bench.aws, 'ASIASTANDIN000000002')
  expect(bench.asked()).toEqual(['CreateOAuth2Token'])
})
