import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ageEntry } from '../../setup/age-entry.ts'
import { toStableValue } from '../../setup/to-stable-text.ts'
import { writeProgram } from './credential-program.ts'
import { identityToken, issuer } from './identity-token.ts'
import { parseToken, readToken } from './read-token.ts'
import { signInToSso } from './sign-in.ts'
import { failure, keysOf, program, role, startWorkbench, user, type Workbench } from './workbench.ts'

const region = 'eu-central-1'
const argv = ['--profile', 'build', '--client-ttl', '600']

/** Profile `build` assumes a role with the keys of profile `dev`, so that every mint is seen by AWS. */
async function startWithRole(): Promise<Workbench> {
  const bench = await startWorkbench()
  bench.aws.addRole({ arn: role, trusts: [user] })
  await writeRole(bench, {})
  return bench
}

async function writeRole(bench: Workbench, changes: Record<string, string>, keys = keysOf(bench.aws)) {
  const build = { role_arn: role, source_profile: 'dev', role_session_name: 'alice', region, ...changes }
  return bench.write({ config: { 'profile build': build }, credentials: { dev: keys } })
}

const textOf = async (bench: Workbench, call = {}) => readToken(await bench.run({ argv, ...call })).text

test('the second run serves the token of the first, and AWS is not asked again', async () => {
  await using bench = await startWithRole()
  expect(await textOf(bench)).toBe(await textOf(bench))
  expect(bench.asked()).toEqual(['AssumeRole'])
})

test.each<[what: string, (bench: Workbench) => Promise<unknown>, call: object]>([
  ['another access key', (bench) => writeRole(bench, {}), {}],
  ['another session name in the profile', (bench) => editRole(bench, 'alice', 'bob'), {}],
  ['another role in the profile', (bench) => editRole(bench, role, `${role}2`), {}],
  ['another region', async () => {}, { argv: [...argv, '--region', 'eu-west-1'] }],
  ['another header', async () => {}, { argv: [...argv, '--header', 'X-Team: {account}'] }],
  ['another lifetime', async () => {}, { argv: [...argv, '--lifetime', '1800'] }],
])('%s does not serve the old token', async (_, change, call) => {
  await using bench = await startWithRole()
  bench.aws.addRole({ arn: `${role}2`, trusts: [user] })
  const old = await textOf(bench)
  await change(bench)
  expect(parseToken(await bench.run({ argv, ...call })).text).not.toBe(old)
  expect(bench.asked()).toEqual(['AssumeRole', 'AssumeRole'])
})

async function editRole({ home }: Workbench, from: string, to: string): Promise<void> {
  const path = join(home, '.aws', 'config')
  await writeFile(path, (await readFile(path, 'utf8')).replace(from, to))
}

test('a changed variable that a credential_process may use does not serve the old token', async () => {
  await using bench = await startWorkbench()
  const keys = await Promise.all(
    ['alice', 'bob'].map(async (name) => {
      const { accessKeyId, secretAccessKey } = bench.aws.addAccessKey({ arn: `${user}/${name}` })
      const document = { Version: 1, AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey }
      const Expiration = new Date(Date.now() + 7_200_000).toISOString()
      await writeFile(join(bench.home, name), JSON.stringify({ ...document, Expiration }))
      return accessKeyId
    }),
  )
  await bench.write({ config: { 'profile build': { credential_process: `cat "${bench.home}/$WHO"`, region } } })
  const idOf = async (env: Record<string, string>) =>
    readToken(await bench.run({ argv, env: { PATH: '/usr/bin:/bin', ...env } })).accessKeyId
  expect([await idOf({ WHO: 'alice' }), await idOf({ WHO: 'bob' })]).toEqual(keys)
})

test('the same program with the same environment serves the old token in any shell and context', async () => {
  await using bench = await startWorkbench()
  const { accessKeyId, secretAccessKey } = bench.aws.addAccessKey({ arn: user })
  const Expiration = new Date(Date.now() + 7_200_000).toISOString()
  const document = { Version: 1, AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, Expiration }
  const path = await writeProgram(
    join(bench.home, 'print'),
    `echo x >> "$HOME/runs"; echo '${JSON.stringify(document)}'`,
  )
  await bench.write({ config: { 'profile build': { credential_process: `"${path}"`, region } } })
  const variables = [
    { SHLVL: '1', _: '/bin/a', VENDOR_HELPER_CONTEXT: 'interactive' },
    { SHLVL: '2', _: '/bin/b', OLDPWD: '/', VENDOR_HELPER_CONTEXT: 'setup-test', VENDOR_SESSION: 'other' },
  ]
  for (const env of variables) await bench.run({ argv, env })
  expect(await readFile(join(bench.home, 'runs'), 'utf8')).toBe('x\n')
})

test('another person in the identity token file does not serve the old token', async () => {
  await using bench = await startWorkbench()
  const path = join(bench.home, 'identity-token')
  bench.aws.addIdentityProvider({ issuer, audiences: ['sts.amazonaws.com'] })
  bench.aws.addRole({ arn: role, trusts: [issuer] })
  await bench.write({
    config: { 'profile build': { role_arn: role, web_identity_token_file: path, region } },
  })
  for (const who of ['alice', 'alice', 'bob']) {
    await writeFile(path, identityToken({ sub: who }))
    await bench.run({ argv })
  }
  expect(bench.asked()).toEqual(['AssumeRoleWithWebIdentity', 'AssumeRoleWithWebIdentity'])
})

test('after signing out of SSO the token of the sign-in is not served', async () => {
  await using bench = await startWorkbench()
  const directory = await signInToSso(bench)
  const call = { argv: ['--profile', 'dev', '--client-ttl', '600'] }
  expect(await textOf(bench, call)).toBe(await textOf(bench, call))
  await rm(directory.ssoCachePath('corp')) // what `aws sso logout` does
  expect(toStableValue(await bench.run(call))).toEqual(
    failure(
      4,
      'the SSO session "corp" is not signed in',
      'start a new session, which lets a person sign in, or run: aws-bedrock-token sign-in --profile dev --client-ttl 600',
    ),
  )
})

test('after the keys are removed from the environment their token is not served', async () => {
  await using bench = await startWorkbench()
  const { accessKeyId, secretAccessKey } = bench.aws.addAccessKey({ arn: user })
  const env = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_REGION: region }
  await textOf(bench, { argv: [], env })
  expect(toStableValue(await bench.run({ env: { AWS_REGION: region } }))).toEqual(
    failure(
      5,
      'the instance metadata service answered with HTTP 404',
      'check that this machine has an instance profile, or name a profile with --profile or AWS_PROFILE',
    ),
  )
})

test('without a cache every run mints, and nothing is written', async () => {
  await using bench = await startWithRole()
  const call = { argv: [...argv, '--cache', 'none'] }
  expect(await textOf(bench, call)).not.toBe(await textOf(bench, call))
  expect(await readdir(bench.home)).toEqual(['.aws'])
})

test('a refused token is not served again in mid-session-refresh', async () => {
  await using bench = await startWithRole()
  const old = await textOf(bench)
  expect(await textOf(bench, { env: { VENDOR_HELPER_CONTEXT: 'mid-session-refresh' } })).not.toBe(old)
  expect(bench.asked()).toEqual(['AssumeRole', 'AssumeRole'])
})

const briefly = { kind: 'error', code: 'ServiceUnavailable', status: 503 } as const

test('while AWS is unavailable the last token is served, with one warning', async () => {
  await using bench = await startWithRole()
  const call = { argv: ['--profile', 'build', '--lifetime', '3600'] }
  const first = readToken(await bench.run(call))
  await ageEntry(bench)
  bench.aws.failAlways('AssumeRole', briefly)
  const outcome = await bench.run(call)
  const { status, stderr } = toStableValue(outcome)
  expect({ status, token: parseToken(outcome).text, stderr }).toEqual({
    status: 0,
    token: first.text,
    stderr: `${program}: warning: AWS STS in ${region} is busy or broken (ServiceUnavailable, HTTP 503); serving the last token, which is good until DATE\n`,
  })
})

test('in mid-session-refresh the last token, which was refused, is not served even then', async () => {
  await using bench = await startWithRole()
  await textOf(bench)
  bench.aws.failAlways('AssumeRole', briefly)
  const outcome = await bench.run({ argv, env: { VENDOR_HELPER_CONTEXT: 'mid-session-refresh' } })
  expect(toStableValue(outcome)).toEqual(
    failure(6, 'AWS STS in eu-central-1 is busy or broken (ServiceUnavailable, HTTP 503)', 'try again in a moment'),
  )
})

test('a refusal is never hidden behind the last token', async () => {
  await using bench = await startWithRole()
  await textOf(bench, { argv: ['--profile', 'build'] })
  await ageEntry(bench)
  bench.aws.failAlways('AssumeRole', { kind: 'error', code: 'AccessDenied', status: 403 })
  expect(toStableValue(await bench.run({ argv: ['--profile', 'build'] }))).toEqual(
    failure(
      5,
      `AWS STS refused the role ${role} of profile "build": AccessDenied`,
      `have the trust policy of ${role} and the policies of this identity allow sts:AssumeRole, or correct role_arn`,
    ),
  )
})
