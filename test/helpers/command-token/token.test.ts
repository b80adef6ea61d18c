import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import helper from '../../../helpers/command-token.ts'
import { diagnoseHelper } from '../../../src/helper/run/diagnose-helper.ts'
import { toStableText } from '../../setup/to-stable-text.ts'
import { type CommandDesk, commandOf, failure, printed, program, startDesk } from './desk.ts'

/** Starts a program that prints another token in each run, beside what the test says. */
const startCounting = async (members: string): Promise<CommandDesk> => {
  const desk = await startDesk()
  await desk.write(
    'get-token',
    `printf x >>"$HOME/runs"; n=$(wc -c <"$HOME/runs"); echo '{"access_token": "made-up-'$n'"${members}}'`,
  )
  return desk
}

const toJwt = (claims: object) =>
  [{ alg: 'RS256' }, claims, 's'].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')

const soon = () => Math.floor(Date.now() / 1000) + 7200

test('a program is run without a shell, by its name, with its arguments as they are', async () => {
  const desk = await startDesk()
  await desk.write('print token', 'printf "%s|%s" "$1" "$#"')
  expect(await desk.run({ argv: commandOf('print token', '$HOME;x|`id`', '--flag') })).toEqual(
    printed({ token: '$HOME;x|`id`|2' }),
  )
})

test.each<[what: string, members: string, argv: string[], runs: number]>([
  ['the output says when it ends', ', "expires_in": 7200', [], 1],
  ['its life is given', '', ['--life', '7200'], 1],
  ['nothing says when it ends', '', [], 2],
  ['what it says is shorter than the given life', ', "expires_in": 60', ['--life', '7200'], 2],
])('two runs share a token only where its end is known: %s', async (_, members, options, runs) => {
  const desk = await startCounting(members)
  const argv = [...commandOf('get-token'), ...options]
  await desk.run({ argv })
  // The first run of a token that falls short says so, and is served again for ten seconds; not in a refresh.
  await desk.run({ argv, env: members.includes(': 60') ? { VENDOR_HELPER_CONTEXT: 'mid-session-refresh' } : {} })
  expect((await readFile(join(desk.home, 'runs'), 'utf8')).length).toBe(runs)
})

test('another program or account makes another entry, unlike what one process of a client sets', async () => {
  const desk = await startCounting(', "expires_in": 7200')
  const argv = commandOf('get-token')
  const countRuns = async (env: Readonly<Record<string, string>>) => {
    await desk.run({ argv, env })
    return (await readFile(join(desk.home, 'runs'), 'utf8')).length
  }
  const path = `${desk.home}/bin:/usr/bin:/bin`
  expect([
    await countRuns({ PATH: `/tmp/agent-1:${path}` }),
    await countRuns({ PATH: `/tmp/agent-2:${path}`, AGENT_SOCKET: '/tmp/2', TERM_SESSION_ID: '2' }),
    await countRuns({ CLOUDSDK_ACTIVE_CONFIG_NAME: 'work' }),
  ]).toEqual([1, 1, 2])
  await desk.write('../other/get-token', await readFile(join(desk.home, 'bin/get-token'), 'utf8'))
  expect(await countRuns({ PATH: `${desk.home}/other:${path}` })).toBe(3)
})

test.each<[what: string, file: string, argv: string[]]>([
  ['a well-known program chooses another account in its settings', '.config/gcloud/active_config', commandOf('gcloud')],
  ['a file changes that an option names', 'tenants.json', [...commandOf('my-tool'), '--watch', '~/tenants.json']],
])('a token is not served any more when %s', async (_, file, argv) => {
  const desk = await startDesk()
  const script = `printf x >>"$HOME/runs"; echo '{"token": "of-'$(cat "$HOME/${file}")'", "expires_in": 7200}'`
  for (const name of ['gcloud', 'my-tool']) await desk.write(name, script)
  const tokenFor = async (account: string) => {
    await desk.write(`../${file}`, `#!${account}`)
    return (await desk.run({ argv })).stdout
  }
  const [first, again, second, third] = [
    await tokenFor('dana'),
    await tokenFor('dana'),
    await tokenFor('robin'),
    await tokenFor('dana'),
  ]
  const { stdout } = await desk.run({ argv: [...argv, '--explain'] })
  const [line = ''] = stdout.match(/^ {2}until one of these changes: .*$/m) ?? []
  expect({
    printed: [first, again, second, third],
    runs: await readFile(join(desk.home, 'runs'), 'utf8'),
    told: line.split(/[:,] /).filter((path) => path === join(desk.home, file)),
  }).toEqual({
    printed: ['dana', 'dana', 'robin', 'dana'].map((who) => `{"token":"of-#!${who}"}\n`),
    runs: 'xxx',
    told: [join(desk.home, file)],
  })
})

test('a program that is written anew is run anew', async () => {
  const desk = await startCounting(', "expires_in": 7200')
  const argv = commandOf('get-token')
  await desk.run({ argv })
  await desk.write('get-token', `echo '{"token": "another", "expires_in": 7200}'`)
  expect(await desk.run({ argv })).toEqual(printed({ token: 'another' }))
})

test('a token with no known end is not on the disk', async () => {
  const desk = await startCounting('')
  await desk.run({ argv: commandOf('get-token') })
  const files = (await readdir(join(desk.home, '.cache'), { recursive: true, withFileTypes: true })).filter((file) =>
    file.isFile(),
  )
  const texts = await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name), 'latin1')))
  expect(texts.filter((text) => text.includes('made-up'))).toEqual([])
})

test('the exp of a JWT is its end, and its claims are for headers', async () => {
  const desk = await startDesk()
  const token = toJwt({ iss: 'https://id.example', sub: 'dana', team: 'blue', exp: soon() })
  await desk.write(
    'get-token',
    `echo '{"token": "${token}", "expires_in": 86400, "headers": {"X-Team": "red", "X-A": "b"}}'`,
  )
  const argv = [
    ...commandOf('get-token'),
    '--header',
    'X-Team: {claims.team}',
    '--header',
    'X-Who: {subject} of {issuer}',
  ]
  expect(await desk.run({ argv })).toEqual(
    printed({ token, headers: { 'X-A': 'b', 'X-Team': 'blue', 'X-Who': 'dana of https://id.example' } }),
  )
  const { stdout } = await desk.run({ argv: [...argv, '--explain'] })
  expect(toStableText(stdout, { [desk.home]: 'HOME' })).toBe(`\
context
  unknown (VENDOR_HELPER_CONTEXT is not set); nobody is asked
  ends by itself after N s
options
  client-ttl = 3600 (default)
  client-timeout = 60 (default)
  header = 2 given (argument)
  format = json (default)
  cache = disk (default)
  renew-early = 25 (default)
  explain = true (argument)
  command = 1 given (argument)
  output = auto (default)
uses
  the token that get-token prints
  the shape of its output shows what it is
  its end is the first of: what the output says, the exp of a JWT
  the program is HOME/bin/get-token, found on PATH
token
  from cache
  lives N s, until DATE
  issuer: https://id.example
  subject: dana
  claims.team: blue
headers
  X-A
  X-Team
  X-Who
cache
  HOME/.cache/gatepass/command-token-KEY.json
  renewed from DATE on, N min early on this machine
  for HOME/bin/get-token
  for the values of HOME
`)
})

test('a token that has expired is refused', async () => {
  const desk = await startDesk()
  await desk.write('get-token', `echo '${toJwt({ exp: 1_600_000_000 })}'`)
  expect(await desk.run({ argv: commandOf('get-token') })).toEqual(
    failure(
      5,
      'get-token printed a token that expired at 2020-09-13T12:26:40.000Z',
      'find out why it does not renew the token: run get-token in a terminal',
    ),
  )
})

test('AWS keys are refused with the helper that takes them', async () => {
  const desk = await startDesk()
  await desk.write(
    'keys',
    `echo '{"Version": 1, "AccessKeyId": "AKIA", "SecretAccessKey": "canary", "SessionToken": "canary"}'`,
  )
  expect(await desk.run({ argv: commandOf('keys') })).toEqual(
    failure(
      3,
      'keys printed AWS keys (credential_process), and no part of them is a bearer token',
      'make this program the credential_process of an AWS profile, and use the helper aws-bedrock-token with that profile',
    ),
  )
})

test('a plugin of Kubernetes is told which document is wanted', async () => {
  const desk = await startDesk()
  await desk.write(
    'plugin',
    `case $KUBERNETES_EXEC_INFO in *'client.authentication.k8s.io/v1"'*'"interactive":false'*) ;; *) exit 1 ;; esac
echo '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"made-up","expirationTimestamp":"2100-01-01T00:00:00Z"}}'`,
  )
  expect(await desk.run({ argv: [...commandOf('plugin'), '--output', 'exec-credential'] })).toEqual(
    printed({ token: 'made-up' }),
  )
})

test('doctor is told what was run, how it ended and what it printed, without the token', async () => {
  const desk = await startDesk()
  await desk.write('get-token', `echo "reading canary" >&2; echo '{"token": "canary", "expires_in": 3600}'`)
  const diagnosed = await diagnoseHelper(
    program,
    helper,
    await desk.createHost({ argv: commandOf('get-token') }),
    'succeeded',
  )
  const inWords = toStableText(JSON.stringify(diagnosed?.diagnosis), { [desk.home]: 'HOME' })
  // A moment may have passed since the program ran.
  expect(JSON.parse(inWords.replace('in 59 min', 'in 1 h 0 min'))).toEqual({
    identity: [
      {
        status: 'good',
        text: 'HOME/bin/get-token, found on PATH, ended with exit status 0 after N ms, with 40 bytes on stdout',
        details: ['it said: reading [secret]'],
      },
      {
        status: 'good',
        text: 'it printed JSON with a "token"',
        details: ['it ends at DATE, in 1 h 0 min'],
      },
    ],
  })
})

test('doctor is told why a program gives no token', async () => {
  const desk = await startDesk()
  await desk.write('get-token', 'echo "not logged in" >&2; exit 1')
  const diagnosed = await diagnoseHelper(
    program,
    helper,
    await desk.createHost({ argv: commandOf('get-token') }),
    'failed',
  )
  const inWords = toStableText(JSON.stringify(diagnosed?.diagnosis.identity), { [desk.home]: 'HOME' })
  expect(JSON.parse(inWords)).toEqual([
    {
      status: 'note',
      text: 'HOME/bin/get-token, found on PATH, ended with exit status 1 after N ms, with 0 bytes on stdout',
      details: ['it said: not logged in'],
    },
    {
      status: 'bad',
      text: 'get-token failed with exit status 1 and said: not logged in',
      hint: 'sign in with get-token in a terminal, as it says; set sign-in-command to have that command shown here',
    },
  ])
})
