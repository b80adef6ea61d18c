import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isProcessAlive } from '../../../../src/runtime/host.ts'
import { startAwsByName } from '../../../aws-parity/start-aws-by-name.ts'
import { writeProgram } from '../../../helpers/aws-bedrock-token/credential-program.ts'
import { readToken } from '../../../helpers/aws-bedrock-token/read-token.ts'
import { inMinutes, signInToConsole, signInToSso } from '../../../helpers/aws-bedrock-token/sign-in.ts'
import {
  failure,
  keysOf,
  role,
  startWorkbench,
  user,
  type Workbench,
} from '../../../helpers/aws-bedrock-token/workbench.ts'
import { runBundle } from '../../../setup/run-bundle.ts'

const region = 'eu-central-1'
const argv = ['--profile', 'dev']

const linesAbout = (words: string, text: string) => text.split('\n').filter((line) => line.includes(words))

/** Profile `dev` assumes a role, and has settings beside. */
async function startWithRole(beside: Record<string, string>): Promise<Workbench> {
  const bench = await startWorkbench()
  bench.aws.addRole({ arn: role, trusts: [user] })
  const dev = { role_arn: role, source_profile: 'base', region, ...beside }
  await bench.write({ config: { 'profile dev': dev }, credentials: { base: keysOf(bench.aws) } })
  return bench
}

/** Profile `dev` runs a program that notes its environment, and prints keys. */
async function startWithProgram(script = ''): Promise<{ bench: Workbench; note: string }> {
  const bench = await startWorkbench()
  const note = join(bench.home, 'note')
  const { aws_access_key_id: AccessKeyId, aws_secret_access_key: SecretAccessKey } = keysOf(bench.aws)
  const document = JSON.stringify({ Version: 1, AccessKeyId, SecretAccessKey })
  const path = await writeProgram(join(bench.home, 'print-keys'), `env >'${note}'\n${script}\necho '${document}'`)
  await bench.write({ config: { 'profile dev': { credential_process: `"${path}" --token canary`, region } } })
  return { bench, note }
}

test('an unknown setting beside a known kind leads to the AWS SDK, and --explain names its line', async () => {
  await using bench = await startWithRole({ role_policy: 'x' })
  await using route = await startAwsByName(bench)
  const { status, stdout } = await bench.run({ argv: [...argv, '--explain'], env: route.environment })
  // Our proxy, our authorities and AWS's own host.
  const asked = [...bench.asked(), ...route.asked]
  expect({ status, lines: linesAbout('profile "dev"', stdout), asked }).toEqual({
    status: 0,
    lines: [
      `  profile "dev": the AWS SDK finds the credentials, because of the setting role_policy of profile "dev" (line 5 of ${join(bench.home, '.aws', 'config')})`,
    ],
    asked: ['AssumeRole', 'CONNECT sts.eu-central-1.amazonaws.com:443'],
  })
})

test('with --aws-chain own the same profile is resolved without the SDK', async () => {
  await using bench = await startWithRole({ role_policy: 'x' })
  const { status, stdout } = await bench.run({ argv: [...argv, '--aws-chain', 'own', '--explain'] })
  expect({ status, lines: linesAbout('profile "dev"', stdout), sdk: linesAbout('AWS SDK', stdout) }).toEqual({
    status: 0,
    lines: [`  profile "dev": assumes ${role} with`],
    sdk: [],
  })
})

test('a kind that the SDK does not know either is refused with our message, and with --aws-chain sdk with that of the SDK', async () => {
  await using bench = await startWorkbench()
  await bench.write({ config: { 'profile dev': { passkey_device: 'x', region } } })
  const path = join(bench.home, '.aws', 'config')
  expect(await bench.run({ argv })).toEqual(
    failure(
      3,
      'profile "dev" says nothing about where credentials come from',
      `correct the section that begins in line 1 of ${path}`,
    ),
  )
  expect(await bench.run({ argv: [...argv, '--aws-chain', 'sdk'] })).toEqual(
    failure(
      3,
      'the AWS SDK found no credentials for profile "dev": Could not resolve credentials using profile: [dev] in configuration/credentials file(s).',
      `correct profile "dev" in ${path}, or sign in with the tool that it is for`,
    ),
  )
})

test('a program that the SDK starts gets no setting of the helper, and no display if nobody may be asked', async () => {
  const { bench, note } = await startWithProgram()
  await using _bench = bench
  const sdk = [...argv, '--aws-chain', 'sdk', '--path', '/usr/bin:/bin:/nowhere', '--cache', 'none']
  const env = { DISPLAY: ':9', GATEPASS_PROXY: 'http://user:canary@127.0.0.1:1', VENDOR_HELPER_CONTEXT: 'background' }
  readToken(await bench.run({ argv: sdk, env }))
  const listNoted = async () =>
    (await readFile(note, 'utf8'))
      .split('\n')
      .filter((line) => /^(PATH|AWS_PROFILE|DISPLAY|GATEPASS_PROXY)=|canary/.test(line))
      .sort()
  const silent = ['AWS_PROFILE=dev', 'PATH=/usr/bin:/bin:/nowhere']
  expect(await listNoted()).toEqual(silent)
  readToken(await bench.run({ argv: sdk, env: { ...env, VENDOR_HELPER_CONTEXT: 'interactive' } }))
  expect(await listNoted()).toEqual([silent[0], 'DISPLAY=:9', silent[1]])
})

const expired = `echo '{"Version":1,"AccessKeyId":"made-up","SecretAccessKey":"made-up","Expiration":"2020-01-01T00:00:00Z"}'`

test.each([
  ['fails', 'echo canary; echo canary >&2; exit 3', 5, 'its credential_process failed'],
  ['prints no JSON', 'echo canary; exit', 5, 'Profile dev credential_process returned invalid JSON.'],
  [
    'prints keys that have expired',
    `${expired}; exit`,
    4,
    'Profile dev credential_process returned expired credentials.',
  ],
])('a program that %s ends both chains with one status', async (_, script, status, words) => {
  const { bench } = await startWithProgram(script)
  await using _bench = bench
  const own = await bench.run({ argv: [...argv, '--aws-chain', 'own'] })
  expect(own.status).toBe(status)
  expect(await bench.run({ argv: [...argv, '--aws-chain', 'sdk'] })).toEqual(
    failure(
      status,
      `the AWS SDK found no credentials for profile "dev": ${words}`,
      'see what it prints with: aws configure export-credentials --profile dev',
    ),
  )
})

test('the process of the SDK and its children end at the deadline', async () => {
  const { bench, note } = await startWithProgram(`sh -c 'echo $$ >"$HOME/child"; exec sleep 300'`)
  await using _bench = bench
  const late = [...argv, '--aws-chain', 'sdk', '--client-timeout', '6']
  const outcome = await bench.run({ argv: late, env: { HOME: bench.home } })
  expect(outcome).toEqual({
    status: 7,
    stdout: '',
    stderr: `\
aws-bedrock-token: the AWS SDK took longer than the 4 s of this call
aws-bedrock-token: hint: find out why it is slow, or raise timeoutSec in the client's document and client-timeout here
`,
  })
  expect((await readFile(note, 'utf8')).match(/^AWS_PROFILE=.*/gm)).toEqual(['AWS_PROFILE=dev'])
  const child = Number(await readFile(join(bench.home, 'child'), 'utf8'))
  await expect.poll(() => isProcessAlive(child), { timeout: 10_000 }).toBe(false)
})

test('a token from credentials of the SDK is served from the cache, until a sign-out', async () => {
  await using bench = await startWorkbench()
  const { ssoCachePath } = await signInToSso(bench)
  const sdk = { argv: [...argv, '--aws-chain', 'sdk', '--client-ttl', '600'] }
  const first = readToken(await bench.run(sdk)).text
  expect(readToken(await bench.run(sdk)).text).toBe(first)
  expect(bench.asked()).toEqual(['GetRoleCredentials'])
  await rm(ssoCachePath('corp'))
  expect(await bench.run(sdk)).toEqual({
    status: 4,
    stdout: '',
    stderr: `\
aws-bedrock-token: the SSO session "corp" is not signed in
aws-bedrock-token: hint: start a new session, which lets a person sign in, or run: aws-bedrock-token sign-in --profile dev --aws-chain sdk --client-ttl 600
`,
  })
})

test('a token from credentials that only the SDK can use is invalid after any change of the files of the AWS tools, also in a call with a memo', async () => {
  await using bench = await startWorkbench()
  bench.aws.addRole({ arn: role, trusts: [user, role] })
  const dev = { role_arn: role, source_profile: 'other', region, ...keysOf(bench.aws) }
  // Our own chain refuses a circle.
  await bench.write({
    config: { 'profile dev': dev, 'profile other': { role_arn: role, source_profile: 'dev', region } },
  })
  const kept = join(bench.home, '.aws', 'new-kind', 'cache')
  await mkdir(kept, { recursive: true })
  await writeFile(join(kept, 'session.json'), 'dana')
  const sdk = { argv: [...argv, '--aws-chain', 'sdk', '--client-ttl', '600'] }
  const tokenOf = async () => readToken(await bench.run(sdk)).text
  const first = [await tokenOf(), await tokenOf(), await tokenOf(), await tokenOf()]
  await writeFile(join(kept, 'session.json'), 'someone else')
  const second = await tokenOf()
  await rm(kept, { recursive: true })
  const tokens = [...first, second, await tokenOf()]
  expect({ tokens: new Set(tokens).size, first: new Set(first).size, asked: bench.asked() }).toEqual({
    tokens: 3,
    first: 1,
    asked: Array(6).fill('AssumeRole'),
  })
})

test('a console sign-in is renewed under the lock of the helper before the SDK reads it', async () => {
  await using bench = await startWorkbench()
  await signInToConsole(bench, user, inMinutes(2))
  const sdk = { argv: [...argv, '--aws-chain', 'sdk', '--cache', 'none'] }
  const outcomes = await Promise.all(Array.from({ length: 5 }, () => bench.run(sdk)))
  expect(outcomes.map(({ status }) => status)).toEqual([0, 0, 0, 0, 0])
  expect(bench.asked()).toEqual(['CreateOAuth2Token'])
})

test('a person who runs the command of the SDK by hand is told what it is for', async () => {
  expect(await runBundle('aws-bedrock-token', { argv: ['aws-sdk-chain'], env: {} })).toEqual(
    failure(
      2,
      'aws-sdk-chain is not for people: with it aws-bedrock-token starts itself, to have the AWS SDK find credentials',
      'see what there is: aws-bedrock-token --help',
    ),
  )
})
