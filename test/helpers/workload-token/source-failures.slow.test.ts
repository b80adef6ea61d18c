import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { toStableText } from '../../setup/to-stable-text.ts'
import { audience, type Claims, forge, nowSec } from '../../stand-ins/identity/identity-provider.ts'
import { type Disturbance, type IdentityService, secrets } from '../../stand-ins/identity/identity-services.ts'
import { failure, startWorkbench, tokenOf, type Workbench } from './workbench.ts'

const own = ['--audience', audience]

async function expectFailure(
  bench: Workbench,
  argv: readonly string[],
  expected: Parameters<typeof failure>,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const outcome = await bench.run({ argv: [...bench.target, ...argv], env })
  expect({ outcome, exchanges: bench.exchanges() }).toEqual({ outcome: failure(...expected), exchanges: [] })
}

test('every missing option is named at once', async () => {
  await using bench = await startWorkbench()
  const way = 'by argument, variable or file; see: workload-token --help'
  expect(await bench.run()).toEqual(
    failure(3, 'base-url, organization, federation-rule, identity must be set', `set them ${way}`),
  )
  expect(await bench.run({ argv: bench.target })).toEqual(failure(3, 'identity must be set', `set it ${way}`))
})

test.each<[identity: string, option: string, way: string]>([
  ['file', 'identity-file', 'name the file'],
  ['variable', 'identity-variable', 'name the variable'],
  ['command', 'identity-command', 'name the program'],
  ['url', 'identity-url', 'write the address'],
  ['google', 'audience', 'name the audience of the identity token'],
  ['azure', 'audience', 'name the resource that the identity token is for'],
  ['aws', 'audience', 'name the audience of the identity token'],
])('%s requires %s', async (identity, option, way) => {
  await using bench = await startWorkbench()
  await expectFailure(
    bench,
    ['--identity', identity],
    [
      3,
      `identity is ${identity}, and ${option} is not set`,
      `${way} with --${option}, a variable or a file; see: workload-token --help`,
    ],
  )
})

describe('a file', () => {
  const ways = (path: string) =>
    `check that ${path} is the right file, and that the program that writes it renews the token`

  test('that is missing, empty or a directory is refused', async () => {
    await using bench = await startWorkbench()
    const path = join(bench.home, 'token')
    const argv = ['--identity', 'file', '--identity-file', path]
    await expectFailure(bench, argv, [3, `the file of the identity token, ${path}, does not exist`, ways(path)])
    await writeFile(path, ' \n')
    await expectFailure(bench, argv, [3, `the file of the identity token, ${path}, is empty`, ways(path)])
    const directory = join(bench.home, 'directory')
    await mkdir(directory)
    const message = `cannot read ${directory} (EISDIR)`
    await expectFailure(
      bench,
      ['--identity', 'file', '--identity-file', directory],
      [3, message, 'it is a directory: name a file'],
    )
  })

  test.each<[what: string, claims: Claims | string, message: string]>([
    ['rubbish', 'canary', 'is not a JWT'],
    ['ended', { exp: 1_700_000_000 }, "expired at DATE; this machine's time is DATE"],
    ['for another', { aud: 'api://other' }, `is for the audience "api://other", not for "${audience}"`],
    ['without subject', { sub: undefined }, 'lacks sub, which the exchange needs'],
    [
      'not valid yet',
      { iat: 1, nbf: nowSec() + 3600, exp: nowSec() + 7200 },
      "is not valid before DATE; this machine's time is DATE",
    ],
  ])('with a token that is %s is recognized before anything is sent', async (_, claims, message) => {
    await using bench = await startWorkbench()
    const path = await bench.writeToken(typeof claims === 'string' ? claims : await bench.provider.sign(claims))
    const argv = [...bench.target, '--identity', 'file', '--identity-file', path, ...own]
    const outcome = await bench.run({ argv })
    const words = /^workload-token: the identity token in \S.*?identity-token (.*)\nworkload-token: hint: .+\n$/
    const stderr = words.exec(toStableText(outcome.stderr))?.[1]
    expect({ ...outcome, stderr, exchanges: bench.exchanges() }).toEqual({
      status: 3,
      stdout: '',
      stderr: message,
      exchanges: [],
    })
  })

  test('with an unsigned token is refused', async () => {
    await using bench = await startWorkbench()
    const path = await bench.writeToken(forge({}, { alg: 'none' }, ''))
    const message = `the identity token in ${path} is not signed, so nobody can verify it`
    const hint = 'have the identity provider sign its tokens'
    await expectFailure(bench, ['--identity', 'file', '--identity-file', path], [3, message, hint])
  })
})

test('Kubernetes gives no identity token without a file at the usual path, or with one for the cluster itself', async () => {
  await using bench = await startWorkbench()
  const path = '/var/run/secrets/kubernetes.io/serviceaccount/token'
  const project = 'run this in a pod with a projected volume of serviceAccountToken, and name its file in identity-file'
  await expectFailure(
    bench,
    ['--identity', 'kubernetes'],
    [3, `the file of the identity token, ${path}, does not exist`, project],
  )
  const other = await bench.writeToken(await bench.provider.sign({ aud: ['https://kubernetes.default.svc'] }))
  await expectFailure(
    bench,
    ['--identity', 'kubernetes', '--identity-file', other, ...own],
    [
      3,
      `the identity token in ${other} is for the audience "https://kubernetes.default.svc", not for "${audience}"`,
      'set audience in the serviceAccountToken of a projected volume of the pod, and name its file in identity-file',
    ],
  )
})

test('a variable that is not set is named, with the way out', async () => {
  await using bench = await startWorkbench()
  await expectFailure(
    bench,
    ['--identity', 'variable', '--identity-variable', 'CI_JOB_JWT'],
    [
      3,
      'the variable CI_JOB_JWT is not set, or empty',
      'set CI_JOB_JWT to a current identity token where the client starts, or use a source that renews itself',
    ],
  )
})

test('a command that has printed a token gives it although a child holds its stdout', async () => {
  await using bench = await startWorkbench()
  const token = await bench.provider.sign({})
  const script = `sleep 60 & echo '${token}'`
  const argv = ['/bin/sh', '-c', script].map((word) => `--identity-command=${word}`)
  const begin = Date.now()
  tokenOf(await bench.run({ argv: [...bench.target, '--identity', 'command', ...argv] }))
  expect(Date.now() - begin).toBeLessThan(5_000)
})

describe('a command', () => {
  const start = async (script: string) => {
    const bench = await startWorkbench()
    const path = join(bench.home, 'print-token')
    await writeFile(path, `#!/bin/sh\n${script}\n`, { mode: 0o700 })
    const argv = ['--identity', 'command', '--identity-command', path, '--identity-command=canary']
    return { bench, path, argv, look: `see what it prints when you run ${path} in a terminal` }
  }

  test.each<[script: string, status: number, what: string]>([
    ['echo canary; echo canary >&2; exit 3', 5, 'failed with exit status 3 and said: [secret]'],
    ['kill -9 $$', 5, 'was killed by SIGKILL'],
    ['true', 5, 'printed nothing'],
  ])('that runs %s is refused', async (script, status, what) => {
    const { bench, path, argv, look } = await start(script)
    await using _ = bench
    await expectFailure(bench, argv, [status, `${path} ${what}`, look])
  })

  test('that prints something else is refused', async () => {
    const { bench, path, argv, look } = await start('echo canary')
    await using _ = bench
    await expectFailure(bench, argv, [3, `the identity token that ${path} prints is not a JWT`, look])
  })

  test('that is missing, or may not be executed, is refused', async () => {
    const { bench, path, argv } = await start('')
    await using _ = bench
    const find = 'write the absolute path of the program, or set path to the directories to look in'
    await expectFailure(
      bench,
      ['--identity', 'command', '--identity-command', 'no-such-program'],
      [3, "no-such-program is not in any directory of PATH or of the login shell's PATH", find],
      { SHELL: '/bin/sh' },
    )
    await chmod(path, 0o600)
    await expectFailure(bench, argv, [3, `${path} cannot be started (EACCES)`, `run: chmod u+x '${path}'`])
  })
})

describe('an address', () => {
  const argv = (url: string, ...more: string[]) => ['--identity', 'url', '--identity-url', url, ...more]
  const full =
    'write the address into identity-url in full and without a name or password, such as https://id.example/token'

  test.each(['id.example', 'ftp://id.example/token', 'https://dana:canary@id.example/token'])(
    'is refused in the form %s',
    async (url) => {
      await using bench = await startWorkbench()
      await expectFailure(bench, argv(url), [3, 'identity-url is not a web address that can be used', full])
    },
  )

  test.each(['http://id.example/token?key=canary', 'http://169.254.169.254/token'])(
    'is refused over plain http, which only metadata services have: %s',
    async (url) => {
      await using bench = await startWorkbench()
      const { hostname } = new URL(url)
      await expectFailure(bench, argv(url), [
        3,
        `identity-url names ${hostname} over plain http, where anybody on the network could read the identity token`,
        'write an https address into identity-url',
      ])
    },
  )

  test('is refused with headers that are missing or malformed', async () => {
    await using bench = await startWorkbench()
    const url = `${bench.services.url}/identity`
    const way = "put the headers there, one 'Name: value' on each line, or remove the setting"
    await expectFailure(bench, argv(url, '--identity-headers-variable', 'HEADERS'), [
      3,
      'the variable HEADERS, which should hold the headers to send, does not exist or is empty',
      way,
    ])
    const path = join(bench.home, 'headers')
    await expectFailure(bench, argv(url, '--identity-headers-file', path), [
      3,
      `the file ${path}, which should hold the headers to send, does not exist or is empty`,
      way,
    ])
    await writeFile(path, 'Authorization = canary')
    await expectFailure(bench, argv(url, '--identity-headers-file', path), [
      3,
      `line 1 of ${path} is not a header`,
      "write each header on a line of its own, as 'Name: value'",
    ])
    expect(bench.services.requests).toEqual([])
  })

  test('that requires other headers is reported with its answer', async () => {
    await using bench = await startWorkbench()
    const url = `${bench.services.url}/identity`
    await expectFailure(bench, argv(`${url}?key=canary`), [
      5,
      `${url} gave no identity token (HTTP 401)`,
      `check what ${url} answers`,
    ])
  })
})

describe('GitHub Actions', () => {
  const permission = 'give the job this permission in its workflow file: permissions: {id-token: write}'

  test.each([
    ['ACTIONS_ID_TOKEN_REQUEST_URL', 'ACTIONS_ID_TOKEN_REQUEST_TOKEN'],
    ['ACTIONS_ID_TOKEN_REQUEST_TOKEN', 'ACTIONS_ID_TOKEN_REQUEST_URL'],
  ])('gives no identity token to a job without %s', async (missing, other) => {
    await using bench = await startWorkbench()
    const { [other]: value = '' } = bench.services.environment('github-actions')
    const message = `this is not a job of GitHub Actions that may request an identity token: ${missing} is not set`
    await expectFailure(bench, ['--identity', 'github-actions'], [3, message, permission], { [other]: value })
  })

  test('gives no identity token for the request token of another job', async () => {
    await using bench = await startWorkbench()
    const env = { ...bench.services.environment('github-actions'), ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'canary' }
    const message = 'GitHub Actions gave no identity token (HTTP 401)'
    await expectFailure(bench, ['--identity', 'github-actions'], [5, message, permission], env)
  })
})

describe('Azure', () => {
  test('gives no identity token at an unsupported kind of endpoint', async () => {
    await using bench = await startWorkbench()
    const message =
      'IDENTITY_ENDPOINT is set and IDENTITY_HEADER is not: this kind of managed identity is not supported'
    const hint = 'set identity to file, url or command, whichever gives an identity token here'
    const env = { IDENTITY_ENDPOINT: `${bench.services.url}/msi/token` }
    await expectFailure(bench, ['--identity', 'azure', ...own], [3, message, hint], env)
  })

  test('gives no identity token for a key of another app', async () => {
    await using bench = await startWorkbench()
    const env = { ...bench.services.environment('app-service'), IDENTITY_HEADER: 'canary' }
    const hint =
      'run this on Azure with a managed identity assigned, and name one with azure-client if there are several; audience must be a resource that the directory knows'
    const message = "Azure's identity endpoint gave no identity token (HTTP 401)"
    await expectFailure(bench, ['--identity', 'azure', ...own], [5, message, hint], env)
  })

  test('gives no identity token without the federated token file', async () => {
    await using bench = await startWorkbench()
    const env = { AZURE_FEDERATED_TOKEN_FILE: '/no/such/file' }
    const hint =
      'check that workload identity is on for this pod and its service account; AZURE_FEDERATED_TOKEN_FILE names the file'
    const message = 'the file of the identity token, /no/such/file, does not exist'
    await expectFailure(bench, ['--identity', 'azure'], [3, message, hint], env)
  })
})

test('a metadata service may not be another machine on the network', async () => {
  await using bench = await startWorkbench()
  for (const host of ['metadata.example', '10.0.0.1']) {
    const message = `GCE_METADATA_HOST names ${host} over plain http, where anybody on the network could read the identity token`
    const hint = 'write an https address into GCE_METADATA_HOST'
    await expectFailure(bench, ['--identity', 'google', ...own], [3, message, hint], { GCE_METADATA_HOST: host })
  }
})

describe('AWS', () => {
  const refusals: [code: string, status: number, what: string, way: string][] = [
    [
      'OutboundWebIdentityFederationDisabledException',
      403,
      'OutboundWebIdentityFederationDisabledException: the account does not issue identity tokens',
      'have an administrator of the account run once: aws iam enable-outbound-web-identity-federation',
    ],
    [
      'SessionDurationEscalationException',
      403,
      'SessionDurationEscalationException: the credentials expire before the identity token would',
      'sign in again, or wait until the credentials are renewed',
    ],
    [
      'JWTPayloadSizeExceededException',
      400,
      'JWTPayloadSizeExceededException: the identity token would be too large',
      'give the role or session fewer tags',
    ],
    [
      'AccessDenied',
      403,
      'AccessDenied: a policy does not permit sts:GetWebIdentityToken',
      'have an administrator add this statement to the policies of this identity: {"Effect":"Allow","Action":"sts:GetWebIdentityToken","Resource":"*"}; conditions on sts:IdentityTokenAudience, sts:SigningAlgorithm and sts:DurationSeconds have to permit what is asked for',
    ],
  ]

  test.each(refusals)('refuses with %s, which is explained', async (code, status, what, way) => {
    await using bench = await startWorkbench()
    const body = `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>${code}</Code><Message>canary</Message></Error></ErrorResponse>`
    bench.services.disturb('aws', { status, headers: { 'content-type': 'text/xml' }, body }, 'always')
    const env = bench.services.environment('aws')
    const message = `AWS STS gave no identity token: ${what}`
    await expectFailure(bench, ['--identity', 'aws', ...own], [5, message, way], env)
  })

  test('gives no identity token without any identity', async () => {
    await using bench = await startWorkbench()
    const env = { AWS_EC2_METADATA_DISABLED: 'true', AWS_REGION: 'eu-central-1' }
    const outcome = await bench.run({ argv: [...bench.target, '--identity', 'aws', ...own], env })
    expect(outcome).toEqual({
      status: 3,
      stdout: '',
      stderr: `workload-token: no AWS identity is configured: no profile is named, ${bench.home}/.aws/config has no usable [default], and the environment has no keys
workload-token: hint: name a profile with --profile or AWS_PROFILE; list the profiles with: aws configure list-profiles
`,
    })
  })
})

const azureHint =
  'run this on Azure with a managed identity assigned, and name one with azure-client if there are several; audience must be a resource that the directory knows'

/** With the member of an answer that holds the token; Google's answer is the token, and is known by its header. */
const byWeb: readonly (readonly [service: IdentityService, name: string, hint: string, field: string])[] = [
  [
    'github-actions',
    'GitHub Actions',
    'give the job this permission in its workflow file: permissions: {id-token: write}',
    'value',
  ],
  [
    'google',
    "Google's metadata service",
    'run this on Google Cloud with a service account attached, or set identity to where the identity token is',
    '',
  ],
  ['azure', "Azure's metadata service", azureHint, 'access_token'],
  ['app-service', "Azure's identity endpoint", azureHint, 'access_token'],
]

describe.each(byWeb)('%s', (service, name, hint, field) => {
  const kind = service === 'app-service' ? 'azure' : service
  const disturbed = async (disturbance: Disturbance) => {
    await using bench = await startWorkbench()
    bench.services.disturb(service, disturbance, 'always')
    const env = bench.services.environment(service)
    const outcome = await bench.run({ argv: [...bench.target, '--identity', kind, ...own], env })
    expect({ stdout: outcome.stdout, exchanges: bench.exchanges() }).toEqual({ stdout: '', exchanges: [] })
    return { ...outcome, asked: bench.services.requests.length }
  }

  test('that is busy is asked three times', async () => {
    expect(await disturbed({ status: 503, headers: { 'retry-after': '0' }, body: 'canary' })).toEqual({
      ...failure(6, `${name} is busy or broken (HTTP 503)`, 'try again in a moment'),
      asked: 3,
    })
  })

  test('that asks to wait beyond the deadline is not waited for', async () => {
    expect(await disturbed({ status: 429, headers: { 'retry-after': '120' } })).toEqual({
      ...failure(6, `${name} is busy or broken (HTTP 429)`, 'try again in a moment'),
      asked: 1,
    })
  })

  test('that refuses is asked once', async () => {
    expect(await disturbed({ status: 404, body: '{"error":"canary"}' })).toEqual({
      ...failure(5, `${name} gave no identity token (HTTP 404)`, hint),
      asked: 1,
    })
  })

  test('that redirects is not followed', async () => {
    expect(await disturbed({ status: 302, headers: { location: 'http://127.0.0.1:1/canary' } })).toEqual({
      ...failure(
        6,
        `${name} answered with a redirect, which is not followed (HTTP 302)`,
        `find out what answers in place of ${name}`,
      ),
      asked: 1,
    })
  })

  test('that answers with something else is reported without its answer', async () => {
    expect(await disturbed({ status: 200, body: '<html>canary</html>' })).toEqual({
      ...(service === 'google'
        ? failure(
            6,
            `the answer is not from ${name}: its header metadata-flavor is missing`,
            `find out what answers in place of ${name}`,
          )
        : failure(
            5,
            `${name} answered without a JSON object that has a string "${field}"`,
            `find out what answers in place of ${name}`,
          )),
      asked: 1,
    })
  })
})

test('an answer without Google’s own header is refused', async () => {
  await using bench = await startWorkbench()
  bench.services.disturb('google', { status: 200, body: await bench.provider.sign() }, 'always')
  await expectFailure(
    bench,
    ['--identity', 'google', ...own],
    [
      6,
      "the answer is not from Google's metadata service: its header metadata-flavor is missing",
      "find out what answers in place of Google's metadata service",
    ],
    bench.services.environment('google'),
  )
})

test('only the named source is asked', async () => {
  await using bench = await startWorkbench()
  const services = ['github-actions', 'google', 'azure', 'app-service', 'aws'] as const
  const env = Object.assign({}, ...services.map((service) => bench.services.environment(service)))
  const argv = ['--identity', 'file', '--identity-file', '/no/file']
  const hint = 'check that /no/file is the right file, and that the program that writes it renews the token'
  await expectFailure(bench, argv, [3, 'the file of the identity token, /no/file, does not exist', hint], env)
  expect(bench.services.requests).toEqual([])
})

test('the search for secrets finds the secrets of the stand-in', () => {
  expect(Object.values(secrets).filter((secret) => !secret.includes('canary'))).toEqual([])
})
