import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fails, prints } from '../../../setup/run-program.ts'
import { temporaryDirectory } from '../../../setup/temporary-directory.ts'
import { pipeToGatepass, runGatepass, writeTemporary } from '../../run-gatepass.ts'

const init = ['config', 'init', '--helper', 'aws-bedrock-token', '--base-url', 'https://gateway.example.com']
const written = `{
  "$schemaVersion": 2,
  "inference": {
    "provider": "gateway",
    "baseUrl": "https://gateway.example.com",
    "credential": {
      "kind": "helper-script",
      "command": "/opt/gatepass/aws-bedrock-token",
      "args": [
        "--client-timeout",
        "300"
      ],
      "timeoutSec": 300
    }
  }
}
`

test('prints a valid document and nothing else', async () => {
  expect(await runGatepass(...init)).toEqual({ status: 0, stdout: written, stderr: '' })
  expect(await pipeToGatepass(written, 'config', 'check', '--os', 'macos', '-')).toEqual(
    prints(`Good to know
  inference.credential.timeoutSec  refresh-clamped  line 13, column 7
    in the middle of a session the client waits at most 20 s, whatever is set here
  the document  consent-asked
    users are asked to agree before these take effect: inference.baseUrl, inference.credential.command, inference.credential.args, inference.credential.timeoutSec

This document works: 2 notes.
`),
  )
})

test('takes a helper for Windows alone, with its arguments', async () => {
  const path = 'C:\\Program Files\\Gatepass\\aws-bedrock-token.exe'
  const { status, stdout, stderr } = await runGatepass(
    ...init,
    '--command-windows',
    path,
    '--arg',
    '--profile',
    '--arg',
    'dev',
  )
  expect({ status, stderr, credential: JSON.parse(stdout).inference.credential }).toEqual({
    status: 0,
    stderr: '',
    credential: {
      kind: 'helper-script',
      commandWindows: path,
      args: ['--profile', 'dev', '--client-timeout', '300'],
      timeoutSec: 300,
    },
  })
})

const done = { status: 0, stdout: '', stderr: '' }

test('writes a new file', async () => {
  const out = join(await temporaryDirectory(), 'document.json')
  const outcome = await runGatepass(...init, '--out', out)
  expect({ outcome, text: await readFile(out, 'utf8') }).toEqual({ outcome: done, text: written })
})

test('replaces an old file only with --force', async () => {
  const old = await writeTemporary('old.json', 'mine')
  const refused = await runGatepass(...init, '--out', old)
  const kept = await readFile(old, 'utf8')
  const forced = await runGatepass(...init, '--force', '--out', old)
  expect({ refused, kept, forced, text: await readFile(old, 'utf8') }).toEqual({
    refused: {
      status: 5,
      stdout: '',
      stderr: `gatepass: ${old} exists already\ngatepass: hint: name another file with --out, or pass --force to replace it\n`,
    },
    kept: 'mine',
    forced: done,
    text: written,
  })
})

test.skipIf(process.platform === 'win32')('a new file with a key in it is for its owner alone', async () => {
  const [directory, key] = [await temporaryDirectory(), await writeTemporary('key', 'sk-vendor-abcd1234')]
  const write = async (file: string, ...words: string[]) => {
    await runGatepass('config', ...words, '--out', join(directory, file))
    return (await stat(join(directory, file))).mode & 0o777
  }
  const ofKey = ['--kind', 'static', '--base-url', 'https://gateway.example.com', '--api-key-file', key]
  const document = join(directory, 'key.json')
  const headers = { customHeaders: { 'x-auth': 'v' }, credential: { kind: 'helper-script', command: '/opt/h' } }
  const inference = { provider: 'gateway', baseUrl: 'https://gateway.example.com', ...headers }
  const withHeader = await writeTemporary('header.json', JSON.stringify({ inference }))
  expect([
    await write('key.json', 'init', ...ofKey),
    await write('key.reg', 'export', document, '--to', 'reg'),
    await write('flat.json', 'convert', document, '--to', 'flat'),
    await write('header.reg', 'export', withHeader, '--to', 'linux', '--force'),
    await write('plain.json', ...init.slice(1)),
  ]).toEqual([0o600, 0o600, 0o600, 0o600, 0o666 & ~process.umask()])
})

test('writes no invalid document, and names its faults on every system', async () => {
  const flags = ['--base-url', 'gateway', '--command', '~/x', '--command-windows', '\\\\server\\x.exe']
  expect(await runGatepass('config', 'init', '--helper', 'aws-bedrock-token', ...flags)).toEqual({
    status: 1,
    stdout: '',
    stderr: `gatepass: inference.baseUrl: it is not a URL (invalid-value)
gatepass: hint: write the full URL, beginning with https://
gatepass: inference.credential.commandWindows: it does not begin with a drive letter, a colon and a slash or backslash (invalid-value)
gatepass: hint: write the full path, such as C:\\Program Files\\Gatepass\\helper.exe
gatepass: inference.credential.command: ~ is not expanded (tilde-in-path)
gatepass: hint: write the full path, such as /usr/local/bin/…
`,
  })
})

const oidc = { clientId: 'app', issuer: 'https://id.example.com' }
const provider = ['--client-id', oidc.clientId, '--issuer', oidc.issuer]

test.each([
  ['static', ['--api-key-file', 'KEY', '--auth-scheme', 'x-api-key'], { apiKey: 'sk-live-1', authScheme: 'x-api-key' }],
  ['interactive', [], {}],
  ['interactive', ['--auth-flow', 'broker', ...provider], { authFlow: 'broker', oidc }],
  ['external-idp', provider, { oidc }],
  [
    'external-idp',
    [...provider, '--scopes', 'api', '--bearer-token-type', 'access_token'],
    { oidc: { ...oidc, bearerTokenType: 'access_token', scopes: 'api' } },
  ],
  [
    'external-idp',
    [
      ...[...provider, '--scopes', 'openid offline_access', '--no-offline-access', '--redirect-port', '8400'],
      ...['--resource', 'https://gateway.example.com', '--additional-redirect-referrer-hosts', 'a.example.com'],
    ],
    {
      oidc: {
        ...oidc,
        scopes: 'openid offline_access',
        appendOfflineAccess: false,
        resource: 'https://gateway.example.com',
        redirectPort: 8400,
        additionalRedirectReferrerHosts: 'a.example.com',
      },
    },
  ],
])('makes a valid document for the kind %s with %j', async (kind, flags, credential) => {
  const key = await writeTemporary('key', 'sk-live-1\n')
  const argv = ['--kind', kind, '--base-url', 'https://gateway.example.com', ...flags]
  const { status, stdout, stderr } = await runGatepass(
    'config',
    'init',
    ...argv.map((word) => (word === 'KEY' ? key : word)),
  )
  expect({ status, stderr, made: JSON.parse(stdout).inference.credential }).toEqual({
    status: 0,
    stderr: '',
    made: { kind, ...credential },
  })
})

test.each([
  ['external-idp', ['--client-id', 'x'], '--issuer is missing', 'pass --issuer; see: gatepass config init --help'],
  [
    'external-idp',
    [...provider, '--bearer-token-type', 'access_token'],
    '--scopes is missing',
    'pass --scopes; see: gatepass config init --help',
  ],
  [
    'helper-script',
    ['--no-offline-access'],
    '--no-offline-access does not go with the kind helper-script',
    'remove it, or pass --kind interactive or external-idp',
  ],
  ['static', [], '--api-key-file is missing', 'pass --api-key-file; see: gatepass config init --help'],
  [
    'static',
    ['--issuer', 'https://id.example.com'],
    '--issuer does not go with the kind static',
    'remove it, or pass --kind interactive or external-idp',
  ],
  [
    'static',
    ['--api-key-file', '/nowhere'],
    '/nowhere cannot be read (ENOENT)',
    'name a file that holds the key alone',
  ],
])('a document of the kind %s is refused with %j', async (kind, flags, message, hint) => {
  const argv = ['config', 'init', '--kind', kind, '--base-url', 'https://gateway.example.com', ...flags]
  expect(await runGatepass(...argv)).toEqual(fails('gatepass', 2, message, hint))
})

test('a ttl is set for the client and for the helper', async () => {
  const { stdout } = await runGatepass(...init, '--ttl', '900')
  expect(JSON.parse(stdout).inference.credential).toEqual({
    ttlSec: 900,
    args: ['--client-ttl', '900', '--client-timeout', '300'],
    kind: 'helper-script',
    command: '/opt/gatepass/aws-bedrock-token',
    timeoutSec: 300,
  })
})

test('names the settings that the helper lacks', async () => {
  const flags = ['--helper', 'workload-token', '--arg=--identity=file', '--arg=--organization=org_1']
  const { status, stderr } = await runGatepass('config', 'init', '--base-url', 'https://gateway.example.com', ...flags)
  expect({ status, stderr }).toEqual({
    status: 0,
    stderr: `gatepass: warning: workload-token gets no token until base-url, federation-rule, identity-file are set
gatepass: hint: pass each, such as --arg=--identity-file=…, or set them in the helper's file on each machine; see: workload-token --help
`,
  })
})

test('says that one of two options has to be set', async () => {
  const initSecret = ['config', 'init', '--base-url', 'https://gateway.example.com', '--helper', 'aws-secret']
  const { status, stderr } = await runGatepass(...initSecret)
  expect({ status, stderr }).toEqual({
    status: 0,
    stderr: `gatepass: warning: aws-secret gets no token until secret or parameter is set
gatepass: hint: pass --arg=--secret=…, or set it in the helper's file on each machine; see: aws-secret --help
`,
  })
  expect(await runGatepass(...initSecret, '--arg=--parameter=/ai/key')).toEqual({
    status: 0,
    stderr: '',
    stdout: `{
  "$schemaVersion": 2,
  "inference": {
    "provider": "gateway",
    "baseUrl": "https://gateway.example.com",
    "credential": {
      "kind": "helper-script",
      "command": "/opt/gatepass/aws-secret",
      "args": [
        "--parameter=/ai/key",
        "--client-timeout",
        "300"
      ],
      "timeoutSec": 300
    }
  }
}
`,
  })
})

test('says that the helper refuses its arguments', async () => {
  const { status, stdout, stderr } = await runGatepass(...init, '--arg', '--profil', '--arg', 'dev')
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: '',
    stderr: `gatepass: inference.credential.args: the helper gives no token with them: unknown option --profil (did you mean --profile?) (helper-arguments)
gatepass: hint: see: aws-bedrock-token --help
`,
  })
})

test('asks nobody where there is no terminal', async () => {
  expect(await pipeToGatepass('aws-bedrock-token\n', 'config', 'init')).toEqual(
    fails('gatepass', 2, '--base-url is missing', 'pass --base-url; see: gatepass config init --help'),
  )
})
