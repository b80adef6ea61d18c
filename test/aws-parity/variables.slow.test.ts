import { rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { readToken } from '../helpers/aws-bedrock-token/read-token.ts'
import { inMinutes, signInToConsole } from '../helpers/aws-bedrock-token/sign-in.ts'
import { failure, keysOf, role, startWorkbench, user, type Workbench } from '../helpers/aws-bedrock-token/workbench.ts'
import { toStableValue } from '../setup/to-stable-text.ts'
import { type AwsByName, startAwsByName } from './start-aws-by-name.ts'
import { variables } from './variables.ts'

const region = 'eu-central-1'
const argv = ['--profile', 'dev']
const onHost = 'arn:aws:iam::111122223333:role/host'

/** Returns a desk with a role, whose AWS STS is reached through a proxy and under the organization's own authority. */
async function runByName({ bench, route }: Desk, env: Record<string, string | undefined> = {}) {
  bench.aws.addRole({ arn: role, trusts: [user] })
  const settings = { role_arn: role, source_profile: 'base', region }
  await bench.write({ config: { 'profile dev': settings }, credentials: { base: keysOf(bench.aws) } })
  const { status, stderr } = await bench.run({ argv, env: { ...route.environment, ...env } })
  return { status, stderr, asked: route.asked }
}

interface Desk {
  readonly bench: Workbench
  readonly route: AwsByName
}

const tunnel = 'CONNECT sts.eu-central-1.amazonaws.com:443'
const served = { status: 0, stderr: '' }

const proofs: Readonly<Record<string, (desk: Desk) => Promise<void>>> = {
  HTTPS_PROXY: async (desk) => {
    expect(await runByName(desk)).toEqual({ ...served, asked: [tunnel] })
  },
  NO_PROXY: async (desk) => {
    const outcome = await runByName(desk, { NO_PROXY: '.amazonaws.com', AWS_CA_BUNDLE: undefined })
    expect(toStableValue(outcome)).toEqual({
      status: 6,
      stderr: [
        'aws-bedrock-token: AWS STS in eu-central-1 cannot be reached (NO-ADDRESS)',
        'aws-bedrock-token: hint: check the network, the VPN and the proxy',
        '',
      ].join('\n'),
      asked: [],
    })
  },
  AWS_CA_BUNDLE: async (desk) => {
    const outcome = await runByName(desk, { AWS_CA_BUNDLE: undefined })
    expect(outcome).toEqual({
      status: 6,
      stderr: [
        'aws-bedrock-token: sts.eu-central-1.amazonaws.com presents a certificate issued by "Example Corp Root CA", which this machine does not trust (UNABLE_TO_VERIFY_LEAF_SIGNATURE)',
        "aws-bedrock-token: hint: if that is your organization's certificate authority, name the file with its certificate in the option ca (GATEPASS_CA, or the machine's file), AWS_CA_BUNDLE or NODE_EXTRA_CA_CERTS",
        '',
      ].join('\n'),
      asked: [tunnel],
    })
  },
  AWS_CONTAINER_AUTHORIZATION_TOKEN: async ({ bench }) => {
    const { AWS_CONTAINER_AUTHORIZATION_TOKEN, ...env } = addContainer(bench)
    expect(toStableValue(await bench.run({ env }))).toEqual(
      failure(
        5,
        'the container credentials endpoint http://127.0.0.1:PORT/container-credentials answered with HTTP 401',
        'check the role of the task or pod',
      ),
    )
    readToken(await bench.run({ env: { ...env, AWS_CONTAINER_AUTHORIZATION_TOKEN } }))
  },
  AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: async ({ bench }) => {
    const { AWS_CONTAINER_AUTHORIZATION_TOKEN: token = '', ...env } = addContainer(bench)
    const AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE = join(bench.home, 'token')
    await writeFile(AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE, token)
    readToken(await bench.run({ env: { ...env, AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE } }))
  },
  AWS_EC2_METADATA_V1_DISABLED: async ({ bench }) => {
    bench.aws.addInstanceRole({ arn: onHost })
    bench.aws.failNext('PutMetadataToken', { kind: 'error', code: 'Forbidden', status: 403 })
    expect(await bench.run({ env: { AWS_REGION: region } })).toEqual(
      failure(
        5,
        'the instance metadata service answered with HTTP 403',
        'check that this machine has an instance profile, or name a profile with --profile or AWS_PROFILE',
      ),
    )
    expect(bench.asked()).toEqual(['PutMetadataToken'])
  },
  AWS_LOGIN_CACHE_DIRECTORY: async ({ bench }) => {
    const { loginCachePath } = await signInToConsole(bench, user, inMinutes(60))
    const AWS_LOGIN_CACHE_DIRECTORY = join(bench.home, 'sign-ins')
    await rename(dirname(loginCachePath(user)), AWS_LOGIN_CACHE_DIRECTORY)
    expect(await bench.run({ argv })).toEqual(
      failure(
        4,
        'the console sign-in of profile "dev" is missing',
        'start a new session, which lets a person sign in, or run: aws-bedrock-token sign-in --profile dev',
      ),
    )
    readToken(await bench.run({ argv, env: { AWS_LOGIN_CACHE_DIRECTORY } }))
  },
}

function addContainer({ aws }: Workbench): Record<string, string> {
  return { ...aws.addContainerRole({ arn: onHost, authorizationToken: 'canary' }), AWS_REGION: region }
}

test('every variable that is proved by processes is proved here', () => {
  const expected = Object.entries(variables).filter(([, proof]) => proof === 'proved by processes')
  expect(Object.keys(proofs).toSorted()).toEqual(expected.map(([name]) => name).toSorted())
})

test.each(Object.entries(proofs))('%s takes effect', async (_, prove) => {
  await using bench = await startWorkbench()
  await using route = await startAwsByName(bench)
  await prove({ bench, route })
})
