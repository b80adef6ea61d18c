import { expect, test } from 'vitest'
import { runCli } from '../../../../src/cli/run-cli.ts'
import { type AnyHelper, defineHelper } from '../../../../src/helper/define-helper.ts'
import { writeTemporary } from '../../run-gatepass.ts'
import { createTestCli } from '../../run-here.ts'

/** A helper that signs people in, with some of the options of the document's `oidc` object. */
const door = defineHelper({
  summary: 'open a door',
  options: {
    'client-id': { value: 'text', required: true, summary: 'the client' },
    issuer: { value: 'text', summary: 'the provider' },
    'bearer-token-type': { value: ['id_token', 'access_token'], default: 'id_token', summary: 'the token' },
    'append-offline-access': { value: 'boolean', default: true, summary: 'whether it is appended' },
    'redirect-host': { value: ['127.0.0.1', 'localhost'], default: '127.0.0.1', summary: 'the host' },
    'redirect-port': { value: 'number', summary: 'the port' },
    'authorization-parameter': { value: 'list', summary: 'one more' },
    'refresh-token-store': { value: ['none', 'file'], default: 'none', summary: 'where it is kept' },
  },
  facts: [],
  plan: async () => ({ inputs: {}, steps: [] }),
  mint: () => Promise.reject(new Error('it is not run')),
}) as AnyHelper

async function run(argv: readonly string[]) {
  const { cli, written } = await createTestCli(argv)
  await runCli({ ...cli, helpers: new Map([...cli.helpers, ['door', door]]) })
  return written
}

async function init(...args: string[]) {
  const base = ['config', 'init', '--base-url', 'https://gateway.example', '--helper', 'door']
  const given = ['--client-id', 'desk', ...args]
  const { status, stdout, stderr } = await run([...base, ...given.map((arg) => `--arg=${arg}`)])
  return { status, added: JSON.parse(stdout).inference.credential.args.slice(given.length), stderr }
}

test('the arguments that Entra ID needs are added, and the registration is described', async () => {
  expect(await init('--issuer', 'https://login.microsoftonline.com/acme/v2.0')).toEqual({
    status: 0,
    added: ['--redirect-host', 'localhost'],
    stderr: `gatepass: register exactly http://localhost/callback in its app registration, under Authentication, on the platform "Mobile and desktop applications", for the client desk; without a port, because every port is allowed
gatepass: the token for the gateway: the access token for a scope of an API of your own, as its audience is the gateway; the ID token is for the client itself
gatepass: warning: inference.credential.args: no refresh token is kept, so people sign in again whenever a token expires: 8 times in a working day of 8 hours, because ID tokens of Microsoft Entra ID live 60 min unless that is changed (refresh-token-not-kept)
gatepass: hint: set --refresh-token-store to file, or to keychain where every person has one
`,
  })
})

const noOfflineScope = ['--append-offline-access', 'false']
const offlineParameters = ['access_type=offline', 'prompt=consent'].flatMap((text) => [
  '--authorization-parameter',
  text,
])
test.each([
  ['Google', ['--issuer', 'https://accounts.google.com'], noOfflineScope],
  [
    'Google, where the refresh token is kept,',
    ['--issuer', 'https://accounts.google.com', '--refresh-token-store', 'file'],
    [...noOfflineScope, ...offlineParameters],
  ],
  ['Okta, where its port is given,', ['--issuer', 'https://acme.okta.com/oauth2/default', '--redirect-port=8400'], []],
])('arguments for what %s needs are added unless they are given', async (_, argv, added) => {
  expect((await init(...argv)).added).toEqual(added)
})

test('options about an identity provider become arguments of a helper that has them', async () => {
  const base = ['config', 'init', '--base-url', 'https://gateway.example', '--helper']
  const flags = [
    '--client-id',
    'desk',
    '--issuer',
    'https://id.example',
    '--no-offline-access',
    '--redirect-port',
    '8400',
  ]
  const { status, stdout, stderr } = await run([...base, 'door', ...flags, '--arg=--refresh-token-store=file'])
  expect([status, JSON.parse(stdout).inference.credential.args, stderr]).toEqual([
    0,
    [
      ...['--client-id', 'desk', '--issuer', 'https://id.example', '--append-offline-access', 'false'],
      ...['--redirect-port', '8400', '--refresh-token-store=file'],
    ],
    [
      'gatepass: warning: inference.credential.args: without offline_access there may be no refresh token, and people sign in again whenever a token expires: 8 times in a working day of 8 hours, if it lives an hour, as is usual (offline-access-off)',
      'gatepass: hint: remove --append-offline-access, or add offline_access to the scopes',
      '',
    ].join('\n'),
  ])
  expect(await run([...base, 'door', ...flags, '--resource', 'https://gateway.example'])).toEqual({
    status: 2,
    stdout: '',
    stderr:
      'gatepass: --resource does not go with the kind helper-script\ngatepass: hint: remove it, or pass --kind interactive or external-idp\n',
  })
})

test('an unknown provider gets no arguments', async () => {
  expect(await init('--issuer', 'https://id.example')).toEqual({
    status: 0,
    added: [],
    stderr: [
      'gatepass: warning: inference.credential.args: no refresh token is kept, so people sign in again whenever a token expires: 8 times in a working day of 8 hours, if it lives an hour, as is usual (refresh-token-not-kept)',
      'gatepass: hint: set --refresh-token-store to file, or to keychain where every person has one',
      '',
    ].join('\n'),
  })
})

test('the check of a document compares the arguments of such a helper with the rules of its provider', async () => {
  const google = ['--client-id', 'desk', '--issuer', 'https://accounts.google.com', '--refresh-token-store', 'file']
  const args = [...google, '--authorization-parameter', 'access_type=offline', '--bearer-token-type=access_token']
  const credential = { kind: 'helper-script', command: '/opt/gatepass/door', args }
  const document = JSON.stringify({
    inference: { provider: 'gateway', baseUrl: 'https://gateway.example', credential },
  })
  const { status, stdout } = await run(['config', 'check', '--json', await writeTemporary('d.json', document)])
  const findings: { code: string; path: string; hint: string }[] = JSON.parse(stdout).findings
  const ofProvider = findings.filter(({ code }) => code !== 'consent-asked')
  expect([status, ofProvider.map(({ code, path, hint }) => [code, path, hint])]).toEqual([
    1,
    [
      ['offline-access-refused', 'inference.credential.args', 'set --append-offline-access to false'],
      [
        'client-secret-needed',
        'inference.credential.args',
        'write the secret into a file on each machine, and set --client-secret-file to its path',
      ],
      ['refresh-token-unasked', 'inference.credential.args', 'set --authorization-parameter for each: prompt=consent'],
      ['access-token-unverifiable', 'inference.credential.args', 'set --bearer-token-type to id_token'],
    ],
  ])
})
