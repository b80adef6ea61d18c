import { expect, test } from 'vitest'
import { type OtherFormat, parseClientOutput } from '../../../src/client/launch/parse-client-output.ts'

const at = Date.UTC(2030, 0, 1)
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
  expect(parseClientOutput(Buffer.from(text), format)).toEqual({ ok: true, ...read })
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
  expect(parseClientOutput(Buffer.from(text), format)).toEqual({ ok: false, message })
})
