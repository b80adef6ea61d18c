import { expect, test } from 'vitest'
import { type OtherFormat, parseClientOutput, renderRequest } from '../../../src/client/launch/client-formats.ts'
import { clients } from '../../../src/contract/clients.ts'

const at = Date.UTC(2030, 0, 1)
/** When the program that printed the output has ended. */
const now = at - 3_600_000
const exec = (status: unknown, apiVersion = 'client.authentication.k8s.io/v1') =>
  JSON.stringify({ kind: 'ExecCredential', apiVersion, status })
const keys = (changes: object) =>
  JSON.stringify({ Version: 1, AccessKeyId: 'AKIA', SecretAccessKey: 'secret', ...changes })
const bazel = (changes: object) => JSON.stringify({ headers: { authorization: ['Bearer t'] }, ...changes })

test.each<[OtherFormat, string, object]>([
  ['token', ' t-1\n', { token: 't-1', headers: {} }],
  ['exec-credential', exec({ token: 't' }), { token: 't', headers: {} }],
  [
    'exec-credential',
    exec({ token: 't', expirationTimestamp: '2030-01-01T00:00:00Z' }),
    { token: 't', headers: {}, end: { source: 'status.expirationTimestamp', at } },
  ],
  ['headers-json', '{"X-Team":"a","authorization":"Bearer t"}', { token: 't', headers: { 'X-Team': 'a' } }],
  ['headers-json', '{"X-Key":"k","X-Team":"a"}', { token: 'k', headers: { 'X-Team': 'a' } }],
  ['access-token-json', '{"access_token":"t","token_type":"Bearer"}', { token: 't', headers: {} }],
  ['access-token-json', 't\n', { token: 't', headers: {} }],
  ['proxy-authorization', 'Basic dTpw\n', { token: 'dTpw', headers: {} }],
  [
    'sts-credentials',
    JSON.stringify({ Credentials: JSON.parse(keys({ SessionToken: 's', Expiration: '2030-01-01T00:00:00Z' })) }),
    { token: 'AKIA/s', headers: { SecretAccessKey: 'secret', SessionToken: 's' }, end: { source: 'Expiration', at } },
  ],
  ['credential-process', keys({}), { token: 'AKIA', headers: { SecretAccessKey: 'secret' } }],
  [
    'credential-process',
    keys({ SessionToken: 's', Expiration: '2030-01-01T01:00:00+01:00' }),
    { token: 'AKIA/s', headers: { SecretAccessKey: 'secret', SessionToken: 's' }, end: { source: 'Expiration', at } },
  ],
  [
    'bazel',
    bazel({ headers: { Authorization: ['Bearer t'], 'X-Team': ['a', 'b'] }, expires: '2030-01-01T00:00:00Z' }),
    { token: 't', headers: { 'X-Team': 'a, b' }, end: { source: 'expires', at } },
  ],
  [
    'git',
    'username=u\npassword=a=b\npassword_expiry_utc=1893456000\nnew=1\n\nrest',
    { token: 'a=b', headers: {}, end: { source: 'password_expiry_utc', at } },
  ],
])('%s reads %j', (format, text, read) => {
  expect(parseClientOutput(Buffer.from(text), format, now)).toEqual({ ok: true, ...read })
})

test.each<[OtherFormat, string, string]>([
  ['token', '\n', 'stdout is empty although the exit status is 0'],
  ['token', '{"token": "t"}', 'stdout is a JSON document, which would be sent as the token'],
  ['token', 'Loading…\nt', 'stdout has several lines, which no header can carry'],
  ['token', 't…', 'the token has a character beyond visible ASCII and spaces'],
  ['token', '\uFEFFt', 'stdout begins with a byte order mark'],
  ['exec-credential', 't', 'stdout is not one JSON object and nothing else'],
  ['exec-credential', '{}', '"kind" is not "ExecCredential"'],
  ['exec-credential', exec({ token: 't' }, 'v2'), '"apiVersion" is not "client.authentication.k8s.io/v1"'],
  ['exec-credential', exec(undefined), 'there is no "status"'],
  ['exec-credential', exec({ token: 1 }), '"status.token" is not text'],
  [
    'exec-credential',
    exec({ token: 't', expirationTimestamp: 1893456000 }),
    '"status.expirationTimestamp" is not a date in the form of RFC 3339',
  ],
  ['credential-process', keys({ Version: '1' }), '"Version" is not the number 1'],
  ['credential-process', keys({ AccessKeyId: '' }), '"AccessKeyId" is not text'],
  ['credential-process', keys({ SecretAccessKey: 1 }), '"SecretAccessKey" is not text'],
  ['credential-process', keys({ SessionToken: 1 }), '"SessionToken" is not text'],
  [
    'credential-process',
    keys({ Expiration: '2030-01-01 00:00' }),
    '"Expiration" is not a date with a time zone in the form of ISO 8601',
  ],
  ['bazel', bazel({ headers: [] }), '"headers" is not an object'],
  ['bazel', bazel({ headers: { Authorization: 'Bearer t' } }), 'the value of a header is not a list of texts'],
  ['bazel', bazel({ headers: {} }), 'there is no header "Authorization"'],
  [
    'bazel',
    bazel({ expires: '2030-01-01T00:00:00.000Z' }),
    '"expires" is not a date in the form of RFC 3339 without fractions of a second',
  ],
  ['headers-json', '[]', 'stdout is not one JSON object and nothing else'],
  ['headers-json', '{}', 'there is no header'],
  ['headers-json', '{"X-Team":["a"]}', 'the value of a header is not a text'],
  ['headers-json', '{"Authorization":"Bearer t","X-A":"1","x-a":"2"}', '"X-A" and "x-a" differ in case only'],
  ['headers-json', '{"Authorization":"Bearer t","Host":"h"}', '"Host" belongs to the client and cannot be set'],
  ['access-token-json', '{"token":"t"}', '"access_token" is not text'],
  ['access-token-json', '{"access_token":"t","expires_in":"60"}', '"expires_in" is not a number above 0'],
  ['proxy-authorization', 't\n', 'stdout is not a scheme and its credentials on one line'],
  ['sts-credentials', keys({}), 'there is no object "Credentials"'],
  ['git', 't', 'a line of stdout is not an attribute such as password=…'],
  ['git', 'username=u', 'there is no "password", so that Git asks the next helper, and then the person'],
  ['git', 'password=t', 'there is no "username", for which Git asks the person'],
  ['git', 'username=u\r\npassword=t\r\n', 'lines end with a carriage return, which Git takes for a part of the value'],
  [
    'git',
    'username=u\npassword=t\npassword_expiry_utc=soon',
    '"password_expiry_utc" is not a whole number of seconds since 1970',
  ],
])('%s takes nothing from %j', (format, text, message) => {
  expect(parseClientOutput(Buffer.from(text), format, now)).toEqual({ ok: false, message })
})

test('a client takes nothing beyond its own limits', () => {
  const { reservedHeaders, stdoutBytes } = clients['codex-mcp']
  const read = (headers: object) =>
    parseClientOutput(Buffer.from(JSON.stringify(headers)), 'headers-json', now, { reservedHeaders, stdoutBytes })
  const authorization = { Authorization: 'Bearer t' }
  expect([
    read(authorization).ok,
    read({ ...authorization, 'Mcp-Session-Id': 'a' }),
    read({ ...authorization, 'X-Long': 'a'.repeat(65_536) }),
  ]).toEqual([
    true,
    { ok: false, message: '"Mcp-Session-Id" belongs to the client and cannot be set' },
    { ok: false, message: 'stdout is longer than 65536 bytes' },
  ])
})

test('the end of an access token counts from now on', () => {
  const text = Buffer.from('{"access_token":"t","expires_in":60}')
  const end = { source: 'expires_in', at: now + 60_000 }
  expect(parseClientOutput(text, 'access-token-json', now)).toEqual({ ok: true, token: 't', headers: {}, end })
})

const server = 'https://code.example:8443/team'
test.each([
  ['token', { server }, undefined],
  ['bazel', { server }, '{"uri":"https://code.example:8443/team"}'],
  ['git', { server, refused: 'x' }, 'protocol=https\nhost=code.example:8443\npassword=x\n'],
] as const)('a request of format %s names the server, and what was refused: %j', (format, asked, text) => {
  expect(renderRequest(format, asked)).toBe(text)
})
