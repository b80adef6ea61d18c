import { execFileSync } from 'node:child_process'
import { rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inMinutes, signInToConsole, signInToSso } from '../helpers/aws-bedrock-token/sign-in.ts'
import { program, role, startWorkbench, user, type Workbench } from '../helpers/aws-bedrock-token/workbench.ts'
import { fails } from '../setup/run-program.ts'
import { startFront } from '../stand-ins/front/front.ts'
import { argv, region, startSite } from './site.ts'

const impatient = ['--client-timeout', '5']
/** Far more than a refusal takes on a busy machine. */
const unhurried = ['--client-timeout', '15']

const slowHint = "find out why it is slow, or raise timeoutSec in the client's document and client-timeout here"
const goingOnHint = 'try again in a moment: the renewal goes on without this run, and the next run uses its result'

/** A helper that gave up by itself, in time, and named what it waited for. */
async function expectLate(run: () => Promise<unknown>, stage: string, hint = slowHint, seconds = 3): Promise<void> {
  const begin = Date.now()
  const outcome = await run()
  expect({ outcome, isInTime: Date.now() - begin < (seconds + 2) * 1000 }).toEqual({
    outcome: fails(program, 7, `${stage} took longer than the ${seconds} s of this call`, hint),
    isInTime: true,
  })
}

const stage = (what: string) => `AWS STS in ${region} (${what})`

/** Every other way in which AWS is asked; what is told of each stage, `every-stage.slow.test.ts` shows. */
const ways: Record<
  string,
  {
    asked: string
    hint?: string
    seconds?: number
    prepare: (bench: Workbench, url: string) => Promise<Record<string, string>>
  }
> = {
  'an identity token': {
    asked: stage('reading the answer of HOST'),
    prepare: async (bench, AWS_ENDPOINT_URL_STS) => {
      const path = join(bench.home, 'token')
      await writeFile(path, 'a.b.c')
      await bench.write({ config: { 'profile dev': { role_arn: role, web_identity_token_file: path, region } } })
      return { AWS_PROFILE: 'dev', AWS_ENDPOINT_URL_STS }
    },
  },
  'an SSO sign-in': {
    asked: 'AWS SSO in us-west-2 (reading the answer of HOST)',
    prepare: async (bench, AWS_ENDPOINT_URL_SSO) => {
      await signInToSso(bench)
      return { AWS_PROFILE: 'dev', AWS_ENDPOINT_URL_SSO }
    },
  },
  'an SSO sign-in that has to be renewed': {
    hint: goingOnHint,
    asked: 'in the renewal of the SSO session "corp", AWS SSO in us-west-2 (reading the answer of HOST)',
    prepare: async (bench, AWS_ENDPOINT_URL_SSO_OIDC) => {
      await signInToSso(bench, { refreshToken: 'canary-refresh', expiresAt: inMinutes(-5) })
      return { AWS_PROFILE: 'dev', AWS_ENDPOINT_URL_SSO_OIDC }
    },
  },
  'a console sign-in that has to be renewed': {
    asked: 'the AWS sign-in service in eu-central-1 (reading the answer of HOST)',
    prepare: async (bench, AWS_ENDPOINT_URL_SIGNIN) => {
      await signInToConsole(bench, user, inMinutes(-5))
      return { AWS_PROFILE: 'dev', AWS_ENDPOINT_URL_SIGNIN }
    },
  },
  'a container': {
    asked: 'the container credentials endpoint',
    prepare: async (_, url) => ({ AWS_REGION: region, AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/container` }),
  },
  'a machine': {
    // It is given up after two seconds, whatever the client's own limit is.
    seconds: 1,
    asked: 'the instance metadata service (reading the answer of HOST)',
    prepare: async (_, AWS_EC2_METADATA_SERVICE_ENDPOINT) => ({
      AWS_REGION: region,
      AWS_EC2_METADATA_SERVICE_ENDPOINT,
    }),
  },
}

test.each(Object.keys(ways))('an answer for %s that drips ends the call in its time', async (name) => {
  await using bench = await startWorkbench()
  await using front = await startFront(bench.aws.url)
  front.behave('drip')
  const { asked, hint, seconds = 3, prepare } = ways[name]! // a key of that table
  const env = await prepare(bench, front.url)
  const run = () => bench.run({ argv: ['--client-timeout', String(seconds + 2)], env })
  await expectLate(run, asked.replace('HOST', new URL(front.url).host), hint, seconds)
})

test('an answer of the instance metadata service that drips is given up', async () => {
  await using bench = await startWorkbench()
  await using front = await startFront(bench.aws.url)
  front.behave('drip')
  const env = await ways['a machine']!.prepare(bench, front.url) // a key of that table
  expect(await bench.run({ env })).toEqual({
    status: 6,
    stdout: '',
    stderr: `\
aws-bedrock-token: the instance metadata service cannot be reached (ETIMEDOUT)
aws-bedrock-token: hint: check that this machine has an instance profile, or name a profile with --profile or AWS_PROFILE
`,
  })
})

const readingOf = (path: string) => `reading the configuration (waiting for ${path})`

/** Opening a FIFO that nobody writes to keeps a thread stuck in the operating system, as a name lookup can. */
const makeFifo = (path: string) => execFileSync('mkfifo', [path])

test('a thread that is stuck in the AWS configuration ends the call in its time', async () => {
  await using bench = await startWorkbench()
  const path = join(bench.home, 'config')
  makeFifo(path)
  await expectLate(() => bench.run({ argv: impatient, env: { AWS_CONFIG_FILE: path } }), readingOf(path))
})

/** The cache's key looks at the identity token and at the sign-in, so that nobody else's token is served. */
test('a thread that is stuck in the identity token ends the call in its time', async () => {
  await using bench = await startWorkbench()
  const path = join(bench.home, 'token')
  makeFifo(path)
  await bench.write({ config: { 'profile build': { role_arn: role, web_identity_token_file: path, region } } })
  await expectLate(() => bench.run({ argv: [...argv, ...impatient] }), readingOf(path))
})

test('a thread that is stuck in the SSO session ends the call in its time', async () => {
  await using bench = await startWorkbench()
  const directory = await signInToSso(bench)
  await rm(directory.ssoCachePath('corp'))
  makeFifo(directory.ssoCachePath('corp'))
  const path = directory.ssoCachePath('corp')
  await expectLate(() => bench.run({ argv: ['--profile', 'dev', ...impatient] }), readingOf(path))
})

/** Node reads what these name once more, on the main thread. */
test.each(['GATEPASS_CA', 'AWS_CA_BUNDLE', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'])(
  '%s that names a pipe is refused',
  async (name) => {
    await using site = await startSite()
    const path = join(site.bench.home, 'fifo.pem')
    makeFifo(path)
    const env = { AWS_CA_BUNDLE: site.caPath, [name]: path }
    expect(await site.run({ argv: [...argv, ...unhurried], env })).toEqual({
      status: 3,
      stdout: '',
      stderr: `${program}: ${path} (variable ${name}) is not a regular file\n${program}: hint: name a regular file: certificate authorities are read twice\n`,
    })
  },
)

test('NODE_EXTRA_CA_CERTS that names a pipe is refused for credentials that come over http', async () => {
  await using bench = await startWorkbench()
  const path = join(bench.home, 'fifo.pem')
  makeFifo(path)
  const env = {
    AWS_REGION: region,
    AWS_CONTAINER_CREDENTIALS_FULL_URI: `${bench.aws.url}/container`,
    NODE_EXTRA_CA_CERTS: path,
  }
  expect(await bench.run({ argv: unhurried, env })).toEqual({
    status: 3,
    stdout: '',
    stderr: `${program}: ${path} (variable NODE_EXTRA_CA_CERTS) is not a regular file\n${program}: hint: name a regular file: certificate authorities are read twice\n`,
  })
})

test('SSL_CERT_FILE that names an endless file is refused', async () => {
  await using site = await startSite()
  const path = join(site.bench.home, 'sparse.pem')
  await writeFile(path, '')
  await truncate(path, 3 * 1024 ** 3)
  const env = { AWS_CA_BUNDLE: site.caPath, SSL_CERT_FILE: path }
  expect(await site.run({ argv: [...argv, ...unhurried], env })).toEqual(
    fails(program, 3, `${path} is longer than 5 MiB`, `name another file; look at this one with: ls -ld '${path}'`),
  )
})

test('a certificate that cannot be read is named without a message of Node', async () => {
  await using site = await startSite()
  const path = join(site.bench.home, 'broken.pem')
  await writeFile(path, '-----BEGIN CERTIFICATE-----\nTUlJQ\n-----END CERTIFICATE-----\n')
  const env = { AWS_CA_BUNDLE: site.caPath, NODE_EXTRA_CA_CERTS: path }
  expect(await site.run({ argv: [...argv, ...unhurried], env })).toEqual({
    status: 3,
    stdout: '',
    stderr: `${program}: ${path} (variable NODE_EXTRA_CA_CERTS) holds a certificate that cannot be read\n${program}: hint: list the certificates up to the broken one with: openssl storeutl -noout -certs '${path}'\n`,
  })
})
