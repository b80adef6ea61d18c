import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseToken, readToken } from './read-token.ts'
import { signInToSso } from './sign-in.ts'
import { keysOf, program, role, startWorkbench, user, type Workbench } from './workbench.ts'

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

test('after signing out of SSO the token of the sign-in is not served', async () => {
  await using bench = await startWorkbench()
  const directory = await signInToSso(bench)
  const call = { argv: ['--profile', 'dev', '--client-ttl', '600'] }
  expect(await textOf(bench, call)).toBe(await textOf(bench, call))
  await rm(directory.ssoCachePath('corp')) // what `aws sso logout` does
  expect(await bench.run(call)).toMatchObject({ status: 4, stdout: '' })
})

test('after putting the keys out of the environment their token is not served', async () => {
  await using bench = await startWorkbench()
  const { accessKeyId, secretAccessKey } = bench.aws.addAccessKey({ arn: user })
  const env = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_REGION: region }
  await textOf(bench, { argv: [], env })
  expect(await bench.run({ env: { AWS_REGION: region } })).toMatchObject({ status: 5, stdout: '' })
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

/** As if the only entry in the cache had been minted longer ago than a moment. */
async function ageEntry({ home }: Workbench): Promise<void> {
  const directory = join(home, '.cache', 'gatepass')
  const [name = ''] = (await readdir(directory)).filter((file) => file.endsWith('.json'))
  const path = join(directory, name)
  const entry = JSON.parse(await readFile(path, 'utf8')) as { minted: number } // the format is asserted elsewhere
  await writeFile(path, JSON.stringify({ ...entry, minted: entry.minted - 60_000 }))
}

const briefly = { kind: 'error', code: 'ServiceUnavailable', status: 503 } as const

test('while AWS is briefly down the last token is served, with one warning', async () => {
  await using bench = await startWithRole()
  const call = { argv: ['--profile', 'build', '--lifetime', '3600'] }
  const first = readToken(await bench.run(call))
  await ageEntry(bench)
  bench.aws.failAlways('AssumeRole', briefly)
  const outcome = await bench.run(call)
  expect(parseToken(outcome).text).toBe(first.text)
  expect(outcome.status).toBe(0)
  expect(outcome.stderr.replace(/\d{4}-.*Z/, 'DATE')).toBe(
    `${program}: warning: AWS STS in ${region} is busy or broken (ServiceUnavailable, HTTP 503); serving the last token, which is good until DATE\n`,
  )
})

test('in mid-session-refresh the last token, which was refused, is not served even then', async () => {
  await using bench = await startWithRole()
  await textOf(bench)
  bench.aws.failAlways('AssumeRole', briefly)
  const outcome = await bench.run({ argv, env: { VENDOR_HELPER_CONTEXT: 'mid-session-refresh' } })
  expect(outcome).toMatchObject({ status: 6, stdout: '' })
})

test('a refusal is never hidden behind the last token', async () => {
  await using bench = await startWithRole()
  await textOf(bench, { argv: ['--profile', 'build'] })
  await ageEntry(bench)
  bench.aws.failAlways('AssumeRole', { kind: 'error', code: 'AccessDenied', status: 403 })
  expect(await bench.run({ argv: ['--profile', 'build'] })).toMatchObject({ status: 5, stdout: '' })
})
