import { join } from 'node:path'
import { expect, test } from 'vitest'
import { prints } from '../../setup/run-program.ts'
import { toStableValue } from '../../setup/to-stable-text.ts'
import { parseToken } from './read-token.ts'
import { failure, keysOf, program, role, startWorkbench, user, type Workbench } from './workbench.ts'

const region = 'eu-central-1'

/** Profile `build` assumes a role; profile `dev` has only keys. */
async function startWithRole(): Promise<Workbench> {
  const bench = await startWorkbench()
  bench.aws.addRole({ arn: role, trusts: [user] })
  await bench.write({
    config: {
      'profile build': { role_arn: role, source_profile: 'dev', region },
      'profile dev': { region, ...keysOf(bench.aws) },
    },
  })
  return bench
}

test('headers are filled in with the facts of the identity', async () => {
  await using bench = await startWithRole()
  const template = 'X-Who: {role} of {account} in {region} as {profile}'
  const outcome = await bench.run({
    argv: ['--profile', 'build', '--header', 'X-Team: {account}', '--header', template],
  })
  expect({ status: outcome.status, stderr: outcome.stderr, ...JSON.parse(outcome.stdout) }).toEqual({
    status: 0,
    stderr: '',
    token: parseToken(outcome).text,
    headers: { 'X-Team': '444455556666', 'X-Who': 'build of 444455556666 in eu-central-1 as build' },
  })
})

test('a header with an unknown fact is a usage error, before any request', async () => {
  await using bench = await startWithRole()
  expect(await bench.run({ argv: ['--profile', 'build', '--header', 'X-Team: {team}'] })).toEqual(
    failure(
      2,
      'header: "X-Team" asks for {team}, but this helper knows only {profile}, {account}, {region}, {role}, {arn}, {session_name}',
      `write each header as 'Name: value'; see: ${program} --help`,
    ),
  )
  expect(bench.asked()).toEqual([])
})

test('AWS is asked who the caller is only for a header, and its answer is kept with the token', async () => {
  await using bench = await startWithRole()
  const who = ['--profile', 'dev', '--header', 'X-Who: {account} {arn}']
  const headersOf = async (argv: readonly string[]) => JSON.parse((await bench.run({ argv })).stdout).headers
  const where = await headersOf(['--profile', 'dev', '--header', 'X-Where: {region}'])
  const askedBefore = [...bench.asked()]
  expect({ where, askedBefore, who: [await headersOf(who), await headersOf(who)], asked: bench.asked() }).toEqual({
    where: { 'X-Where': region },
    askedBefore: [],
    who: Array(2).fill({ 'X-Who': `111122223333 ${user}` }),
    asked: ['GetCallerIdentity'],
  })
})

test('the caller of a role that was assumed is known without asking', async () => {
  await using bench = await startWithRole()
  const outcome = await bench.run({ argv: ['--profile', 'build', '--header', 'X-Who: {arn} {session_name}'] })
  const [, session] = /(gatepass-\d+)/.exec(outcome.stdout) ?? []
  expect({ headers: JSON.parse(outcome.stdout).headers, asked: bench.asked() }).toEqual({
    headers: {
      'X-Who': `arn:aws:sts::444455556666:assumed-role/build/${session} ${session}`,
    },
    asked: ['AssumeRole'],
  })
})

test('a fact that this identity does not have is reported, with those that it has', async () => {
  await using bench = await startWithRole()
  expect(await bench.run({ argv: ['--profile', 'dev', '--header', 'X-Role: {role}'] })).toEqual(
    failure(
      3,
      'header "X-Role" asks for {role}, which is not known of this token; known of it are {profile}, {account}, {region}, {arn}',
      'write the value itself in place of {role}',
    ),
  )
})

test('the token of a call is that of the next one in another format', async () => {
  await using bench = await startWithRole()
  const argv = ['--profile', 'dev']
  const { text } = parseToken(await bench.run({ argv }))
  expect(await bench.run({ argv: [...argv, '--format', 'token'] })).toEqual(prints(`${text}\n`))
})

test('a token is printed as headers', async () => {
  await using bench = await startWithRole()
  const argv = ['--profile', 'dev', '--format', 'headers', '--header', 'X-Team: 7', '--cache', 'none']
  expect(toStableValue(await bench.run({ argv }))).toEqual({
    status: 0,
    stderr: '',
    stdout: 'Authorization: Bearer BEDROCK-KEY\nX-Team: 7\n',
  })
})

test('--explain describes the whole call without the token', async () => {
  await using bench = await startWithRole()
  const argv = ['--profile', 'build', '--header', 'X-Team: {account}', '--explain']
  const { status, stdout, stderr } = await bench.run({ argv, env: { VENDOR_HELPER_CONTEXT: 'setup-test' } })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const told = stdout
    .replace(/lives 3[56]\d\d s, until \d{4}-\S+Z/, 'lives SECONDS s, until DATE')
    .replace(/-[0-9a-f]{40}\.json/, '-KEY.json')
    .replaceAll(/gatepass-\d+/g, 'SESSION')
    .replaceAll(/^ {2}(?!STS)[A-Z_]+ at http.*\n/gm, '') // the stand-in is other services too
  const config = join(bench.home, '.aws', 'config')
  expect(told).toBe(`context
  setup-test (VENDOR_HELPER_CONTEXT is "setup-test"); nobody is asked
  ends by itself after 58 s
options
  client-ttl = 3600 (default)
  client-timeout = 60 (default)
  header = 1 given (argument)
  format = json (default)
  cache = disk (default)
  renew-early = 25 (default)
  explain = true (argument)
  profile = build (argument)
  aws-chain = auto (default)
  sign-in = auto (default)
  service = bedrock (default)
uses
  profile "build": assumes ${role} with
    role_arn: ${config}:2
    source_profile: ${config}:3
    region: ${config}:4
  profile "dev": access key AKIASTANDIN000000001
    region: ${config}:7
    aws_access_key_id: ${config}:8
    aws_secret_access_key: ${config}:9
  region ${region}
  STS at ${bench.aws.url}, by AWS_ENDPOINT_URL_STS
token
  from mint
  lives SECONDS s, until DATE
  profile: build
  account: 444455556666
  region: eu-central-1
  role: build
  arn: arn:aws:sts::444455556666:assumed-role/build/SESSION
  session_name: SESSION
headers
  X-Team
cache
  ${join(bench.home, '.cache', 'gatepass', `${program}-KEY.json`)}
`)
})

test('--explain of a failing source prints its failure', async () => {
  await using bench = await startWorkbench({ config: { 'profile dev': { region, credential_process: 'exit 3' } } })
  expect(await bench.run({ argv: ['--profile', 'dev', '--explain'] })).toEqual(
    failure(
      5,
      'the credential_process of profile "dev" failed with exit status 3',
      'see what it prints with: aws configure export-credentials --profile dev',
    ),
  )
})

test('--help all names every option of the helper and where it can be set', async () => {
  await using bench = await startWorkbench()
  const { status, stdout, stderr } = await bench.run({ argv: ['--help', 'all'] })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout.match(/^ {2}(-\w, )?--\S+/gm)).toEqual(
    [
      'profile',
      'region',
      'aws-chain',
      'path',
      'watch',
      'watch-variable',
      'sign-in',
      'browser',
      'service',
      'workspace',
      'lifetime',
      'client-ttl',
      'client-timeout',
      'header',
      'second-helper',
      'second-command',
      'second-option',
      'allow-header',
      'format',
      'no-headers',
      'for-host',
      'git-username',
      'cache',
      'renew-early',
      'suspect-repetition',
      'suspect-after',
      'not-before',
      'proxy',
      'no-proxy',
      'ca',
      'log-file',
      'outcome-log',
      'otlp-endpoint',
      'otlp-headers-file',
      'otlp-resource',
      'explain',
    ]
      .map((name) => `  --${name}`)
      .concat('  -h, --help', '  -V, --version'),
  )
})
