import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { listHelpers } from '../../pkg-scripts/tree.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { documentWith, runOnPath } from './run-gatepass.ts'
import { startServer } from './start-server.ts'

/** Runs a shell command on a pseudo-terminal of its own, as `script` from util-linux makes one. */
async function onTerminal(command: string, input = '', env: Readonly<Record<string, string>> = {}) {
  const cwd = await temporaryDirectory()
  await writeFile(join(cwd, 'document.json'), documentWith({ ttlSec: 60 }))
  const { status, stdout } = await runOnPath('script', ['-qec', command, '/dev/null'], { cwd, input, env })
  return { cwd, status, shown: stdout.replaceAll('\r\n', '\n') }
}

describe('colour', () => {
  const check = 'gatepass config check --os linux document.json'

  test('is printed on a terminal', async () => {
    const { shown } = await onTerminal(check)
    expect(shown).toBe(`\
\x1b[33mWarnings: this works, but will cause problems\x1b[39m
  \x1b[1minference.credential.ttlSec\x1b[22m  \x1b[90mttl-without-turn-check  line 1, column 176\x1b[39m
    at 120 or less the helper does not run again before a turn, only at the next session or after a rejection
    → set it above 120
  \x1b[1minference.credential.ttlSec\x1b[22m  \x1b[90mttl-differs  line 1, column 176\x1b[39m
    it is 60, but the helper is configured for 3600
    → set the helper's client-ttl to 60, for example with "--client-ttl", "60" in inference.credential.args

\x1b[90mGood to know\x1b[39m
  \x1b[1mthe document\x1b[22m  \x1b[90mconsent-asked\x1b[39m
    users are asked to agree before these take effect: inference.baseUrl, inference.credential.command, inference.credential.ttlSec

This document works: 2 warnings, 1 note.
`)
  })

  test.each([
    ['NO_COLOR', check, { NO_COLOR: '1' }],
    ['a terminal without colours', check, { TERM: 'dumb' }],
    ['a pipe on a terminal', `${check} | cat`, {}],
    ['--json', `${check} --json`, {}],
    ['messages beside the answer', 'gatepass config convert --to flat --shape flat document.json', {}],
  ])('is not printed with %s', async (_what, command, env) => {
    const { shown } = await onTerminal(command, '', env)
    expect({ isShown: /\w/.test(shown), sequences: shown.match(/\x1b.*/g) }).toEqual({ isShown: true, sequences: null })
  })
})

describe('an answer of another server', () => {
  const hostile = 'grün\n\x1b]0;owned\x07\u009b31m\u202eend\n'
  const ask = async (shell: string) => {
    const url = await startServer((_request, response) => {
      response.setHeader('content-type', 'text/plain; charset=utf-8')
      // In two pieces, with a letter torn between them.
      response.write(Buffer.from(hostile).subarray(0, 3))
      setTimeout(() => response.end(Buffer.from(hostile).subarray(3)), 50)
    })
    return onTerminal(`gatepass api GET /text --base-url ${url} ${shell}`, '', { VENDOR_API_KEY: 'sk-vendor-api01-x' })
  }

  test('does not steer a screen', async () => {
    const { status, shown } = await ask('')
    expect({ status, shown }).toEqual({ status: 0, shown: 'grün\n\\u001b]0;owned\\u0007\\u009b31m\\u202eend\n' })
  })

  test('reaches a pipe as it is', async () => {
    const { shown } = await ask('| od -An -tx1 -v')
    expect(Buffer.from(shown.replace(/\s/g, ''), 'hex').toString()).toBe(hostile)
  })
})

test('the output of a helper steers no screen', async () => {
  const script = `printf '#!/bin/sh\\nprintf "\\\\033[2J\\\\033[32mpass\\\\033[39m" >&2; exit 3\\n' > h; chmod +x h`
  const { status, shown } = await onTerminal(`${script}; gatepass check-helper --rule exit-status ./h`)
  expect({ status, shown }).toEqual({
    status: 1,
    shown: expect.stringContaining('on stderr: \\u001b[2J\\u001b[32mpass\\u001b[39m'),
  })
  expect(shown).toContain('\r\x1b[K1 of ')
  expect(
    shown.match(/\x1b\[?.{0,3}?[A-Za-z]/g)?.filter((sequence) => !/K|3[13]m|39m|90m|1m|22m/.test(sequence)),
  ).toEqual([])
})

describe('gatepass config init', () => {
  const path = 'C:\\Program Files\\Gatepass\\aws-bedrock-token.exe'

  test('asks for what is missing, and takes answers typed ahead', async () => {
    const answers = ['', 'https://gateway.example.com', 'aws-bedrock-token', '', path, 'dev', '', '', '']
    const { cwd, status, shown } = await onTerminal('gatepass config init --out new.json', answers.join('\n'))
    // The terminal shows what was typed ahead above the questions.
    expect({ status, asked: shown.replace(/^.*?(?=Which kind)/s, '') }).toEqual({
      status: 0,
      asked: `Which kind of credential (static, interactive, external-idp, helper-script)? [helper-script] Full URL of the gateway? Which helper (${listHelpers().join(', ')})? Where is aws-bedrock-token on macOS and Linux? [/opt/gatepass/aws-bedrock-token] And on Windows? [nowhere] profile: the AWS profile; if set, no other is tried? [set on each machine] region: the AWS region (default: the profile's)? [set on each machine] For how many seconds may the client keep a token? [3600] `,
    })
    expect(JSON.parse(await readFile(join(cwd, 'new.json'), 'utf8')).inference).toEqual({
      provider: 'gateway',
      baseUrl: 'https://gateway.example.com',
      credential: {
        kind: 'helper-script',
        command: '/opt/gatepass/aws-bedrock-token',
        commandWindows: path,
        args: ['--profile', 'dev', '--client-timeout', '300'],
        timeoutSec: 300,
      },
    })
  })

  test('asks for the identity provider with which people sign in, and again where an answer is wrong', async () => {
    const answers = ['app', 'http://id', 'https://id.example.com', 'both', 'access_token', 'api://gateway/access', '']
    const flags = '--kind external-idp --base-url https://g.example.com --out new.json'
    const { cwd, status, shown } = await onTerminal(`gatepass config init ${flags}`, answers.join('\n'))
    expect({ status, shown: shown.slice(shown.indexOf('Client ID')) }).toEqual({
      status: 0,
      shown: `\
Client ID of the app registration? HTTPS issuer of the identity provider?   a sign-in needs https; use https://
HTTPS issuer of the identity provider? Which token does the gateway check (id_token; access_token for an OAuth resource server)? [id_token]   the client does not know this value; use one of "id_token", "access_token"
Which token does the gateway check (id_token; access_token for an OAuth resource server)? [id_token] Scopes, the gateway's API scope among them? `,
    })
    expect(JSON.parse(await readFile(join(cwd, 'new.json'), 'utf8')).inference.credential).toEqual({
      kind: 'external-idp',
      oidc: {
        clientId: 'app',
        issuer: 'https://id.example.com',
        bearerTokenType: 'access_token',
        scopes: 'api://gateway/access',
      },
    })
  })

  test('a sign-in at the gateway itself needs no registration', async () => {
    const flags = '--kind interactive --base-url https://g.example.com --out new.json'
    const { cwd, status } = await onTerminal(`gatepass config init ${flags}`, '\n')
    const { credential } = JSON.parse(await readFile(join(cwd, 'new.json'), 'utf8')).inference
    expect({ status, credential }).toEqual({ status: 0, credential: { kind: 'interactive' } })
  })

  /** Questions about the helper's options, and what is said of their answers. */
  const said = /[\w-]+(?=( \([\w, -]+\))?: (the ID|the address|where|for file))|expected .*|gets no token until .*/g

  test('asks for settings of the helper that no argument gives', async () => {
    const flags = '--helper workload-token --base-url https://g.example.com --command /opt/h --arg=--organization=org_1'
    const answers = ['https://api.example.com', '', 'fil', 'file', 'token', '/run/token', '0', '', '']
    const { cwd, status, shown } = await onTerminal(`gatepass config init ${flags} --out new.json`, answers.join('\n'))
    expect({
      status,
      asked: shown.match(said),
    }).toEqual({
      status: 0,
      asked: [
        'base-url',
        'federation-rule',
        'identity',
        'expected one of file, variable, command, url, github-actions, kubernetes, google, azure, aws; see: workload-token --help',
        'identity',
        'identity-file',
        'expected an absolute path, or one that begins with ~/; see: workload-token --help',
        'identity-file',
        'gets no token until federation-rule is set',
        'expected a whole number of seconds above 0',
      ],
    })
    const { args } = JSON.parse(await readFile(join(cwd, 'new.json'), 'utf8')).inference.credential
    expect(args).toEqual([
      '--organization=org_1',
      '--base-url',
      'https://api.example.com',
      '--identity',
      'file',
      '--identity-file',
      '/run/token',
    ])
  })

  test('asks nothing where everything is given', async () => {
    const flags =
      '--helper aws-bedrock-token --base-url https://g.example.com --command /opt/h --ttl 3600 --arg=--profile=a --arg=--region=b --out new.json'
    const { status, shown } = await onTerminal(`gatepass config init ${flags}`)
    expect({ status, shown }).toEqual({ status: 0, shown: '' })
  })

  const kind = 'Which kind of credential (static, interactive, external-idp, helper-script)? [helper-script] '
  const url = 'Full URL of the gateway? '
  const helper =
    'Which helper (api-key, aws-bedrock-token, aws-caller-identity, aws-identity-token, aws-secret, command-token, oidc-token, workload-token)? '

  test.each([
    ['an unknown kind', 'token\n', `${kind}  there is no kind "token"\n${kind}${url}`, '--base-url'],
    [
      'a wrong URL',
      '\ngateway\n',
      `${kind}${url}  it is not a URL; write the full URL, beginning with https://\n${url}`,
      '--base-url',
    ],
    [
      'an unknown helper',
      '\nhttps://g.example.com\ntoken\n',
      `${kind}${url}${helper}  there is no helper "token"\n${helper}`,
      '--helper',
    ],
    ['an empty answer where one is needed', '\n\n', `${kind}${url}  an answer is needed\n${url}`, '--base-url'],
    ['the end of input', '\x04', `${kind}${url}`, '--base-url'],
  ])('asks again after %s, and gives up at the end of input', async (_what, input, asked, missing) => {
    const { status, shown } = await onTerminal('gatepass config init', input)
    // The terminal shows what was typed before the first question, and nothing of the end of the input.
    const typed = input.replace('\x04', '')
    const end = `gatepass: ${missing} is missing\ngatepass: hint: pass ${missing}; see: gatepass config init --help\n`
    expect({ status, shown }).toEqual({ status: 2, shown: `${typed}${asked}${end}` })
  })
})
