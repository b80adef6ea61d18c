import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeAwsDirectory } from '../../stand-ins/aws/aws-directory.ts'
import { startAwsStandIn } from '../../stand-ins/aws/aws-stand-in.ts'
import { readToken } from './read-token.ts'
import { signInToSso } from './sign-in.ts'
import { failure, role, startWorkbench, user, type Workbench } from './workbench.ts'

const AWS_REGION = 'eu-central-1'

const signerOf = async (bench: Workbench, call: Parameters<Workbench['run']>[0]) =>
  readToken(await bench.run(call)).accessKeyId

/** A `credential_process` that prints the keys in the file beside its configuration. */
const printKeys = 'cat "$(dirname "$AWS_CONFIG_FILE")/keys.json"'

test('the same profile in another configuration file is another identity', async () => {
  await using bench = await startWorkbench()
  const signers: string[] = []
  for (const name of ['one', 'two']) {
    const { accessKeyId, secretAccessKey } = bench.aws.addAccessKey({ arn: `${user}/${name}` })
    const home = join(bench.home, name)
    const directory = await writeAwsDirectory(home, {
      config: { 'profile dev': { region: AWS_REGION, credential_process: printKeys } },
    })
    const keys = { Version: 1, AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey }
    await writeFile(join(home, '.aws', 'keys.json'), JSON.stringify(keys))
    const env = { AWS_CONFIG_FILE: directory.configPath, PATH: '/usr/bin:/bin' }
    signers.push(await signerOf(bench, { argv: ['--profile', 'dev'], env }))
    expect(signers.at(-1)).toBe(accessKeyId)
  }
  expect(new Set(signers).size).toBe(2)
})

test('another section that a credential_process may read makes another key', async () => {
  await using bench = await startWorkbench()
  const { accessKeyId, secretAccessKey } = bench.aws.addAccessKey({ arn: user })
  await writeFile(
    join(bench.home, 'keys.json'),
    JSON.stringify({ Version: 1, AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey }),
  )
  const texts: string[] = []
  for (const base of ['a', 'b', 'b']) {
    await bench.write({
      config: {
        'profile dev': { region: AWS_REGION, credential_process: `cat '${bench.home}/keys.json'` },
        'profile base': { account: base },
      },
    })
    const call = { argv: ['--profile', 'dev'], env: { PATH: '/usr/bin:/bin', VENDOR_HELPER_CONTEXT: 'background' } }
    texts.push(readToken(await bench.run(call)).text)
    await new Promise((resolve) => setTimeout(resolve, 1100)) // signatures within one second are equal
  }
  expect([texts[0] === texts[1], texts[1] === texts[2]]).toEqual([false, true])
})

test('another caller at the same container endpoint is another identity', async () => {
  await using bench = await startWorkbench()
  const environment = bench.aws.addContainerRole({ arn: role })
  const call = (token: string) => ({ env: { ...environment, AWS_REGION, AWS_CONTAINER_AUTHORIZATION_TOKEN: token } })
  const alice = await signerOf(bench, call('canary of alice'))
  expect(await signerOf(bench, call('canary of alice'))).toBe(alice)
  expect(await signerOf(bench, call('canary of bob'))).not.toBe(alice)
})

test('another token in the container’s token file is another identity', async () => {
  await using bench = await startWorkbench()
  const environment = bench.aws.addContainerRole({ arn: role })
  const path = join(bench.home, 'token')
  const env = { ...environment, AWS_REGION, AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: path }
  await writeFile(path, 'canary of alice')
  const alice = await signerOf(bench, { env })
  await writeFile(path, 'canary of bob')
  expect(await signerOf(bench, { env })).not.toBe(alice)
})

test('after another person signed in to the same SSO session, the first one’s token is not served', async () => {
  await using bench = await startWorkbench()
  const argv = ['--profile', 'dev']
  const { ssoCachePath } = await signInToSso(bench, { accessToken: 'canary of alice' })
  const alice = await signerOf(bench, { argv })
  expect(await signerOf(bench, { argv })).toBe(alice)
  await rm(ssoCachePath('corp'))
  await signInToSso(bench, { accessToken: 'canary of bob' })
  expect(await signerOf(bench, { argv })).not.toBe(alice)
})

test('another endpoint is not answered from the cache', async () => {
  await using bench = await startWorkbench()
  await using other = await startAwsStandIn()
  for (const aws of [bench.aws, other]) aws.addRole({ arn: role, trusts: [user] })
  const { accessKeyId, secretAccessKey } = bench.aws.addAccessKey({ arn: user })
  other.addAccessKey({ arn: user, accessKeyId, secretAccessKey })
  await bench.write({
    config: { 'profile build': { role_arn: role, source_profile: 'dev', region: AWS_REGION } },
    credentials: { dev: { aws_access_key_id: accessKeyId, aws_secret_access_key: secretAccessKey } },
  })
  const argv = ['--profile', 'build']
  await bench.run({ argv })
  await bench.run({ argv, env: other.environment })
  expect([bench.aws.requests.length, other.requests.length]).toEqual([1, 1])
})

const keysThatEnd = (inSec: number) => ({
  AWS_REGION,
  AWS_ACCESS_KEY_ID: 'ASIAENV0000000000001',
  AWS_SECRET_ACCESS_KEY: 'canary',
  AWS_CREDENTIAL_EXPIRATION: new Date(Date.now() + inSec * 1000).toISOString(),
})

test('keys in the environment with an expiry give a token that expires with them', async () => {
  await using bench = await startWorkbench()
  const outcome = await bench.run({ argv: ['--client-ttl', '200'], env: keysThatEnd(300) })
  const { expiresSec } = readToken(outcome)
  expect([outcome.stderr, expiresSec > 290 && expiresSec <= 300]).toEqual(['', true])
})

test.each([
  ['expired', -300],
  ['expire', 30],
])('keys in the environment that %s too soon are refused', async (verb, inSec) => {
  await using bench = await startWorkbench()
  const env = keysThatEnd(inSec)
  expect(await bench.run({ env })).toEqual(
    failure(
      4,
      `the credentials in the environment ${verb} at ${env.AWS_CREDENTIAL_EXPIRATION}`,
      'set current AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN where the client starts',
    ),
  )
})

test('an expiry that is not a date is refused', async () => {
  await using bench = await startWorkbench()
  const env = { ...keysThatEnd(300), AWS_CREDENTIAL_EXPIRATION: 'soon' }
  expect(await bench.run({ env })).toEqual(
    failure(
      3,
      'AWS_CREDENTIAL_EXPIRATION is not a date',
      'set it as the tool that made the keys says, such as 2026-01-31T12:00:00Z, or unset it',
    ),
  )
})

test('the value of an assignment before a command is not shown', async () => {
  await using bench = await startWorkbench({
    config: { 'profile dev': { region: AWS_REGION, credential_process: 'API_TOKEN=canary no-such-program' } },
  })
  const outcome = await bench.run({ argv: ['--profile', 'dev'], env: { PATH: '/usr/bin:/bin' } })
  expect(outcome).toEqual(
    failure(
      3,
      'the credential_process of profile "dev" was not found (no-such-program), or a program that it runs was not',
      'write the absolute path of the program into the profile, or set --path to the directories to look in',
    ),
  )
})

test('a container endpoint’s password and query are not shown', async () => {
  await using bench = await startWorkbench()
  const AWS_CONTAINER_CREDENTIALS_FULL_URI = 'http://user:canary@127.0.0.1:1/creds?token=canary'
  const outcome = await bench.run({ env: { AWS_REGION, AWS_CONTAINER_CREDENTIALS_FULL_URI } })
  expect(outcome).toEqual(
    failure(
      6,
      'the container credentials endpoint http://127.0.0.1:1/creds cannot be reached or gave no credentials (ECONNREFUSED)',
      'see whether this runs in a task or pod with a role; its agent sets the variables AWS_CONTAINER_CREDENTIALS_…',
    ),
  )
})
