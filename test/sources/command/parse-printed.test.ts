import { describe, expect, test } from 'vitest'
import { HelperError } from '../../../src/runtime/failure.ts'
import type { CommandSettings } from '../../../src/sources/command/command-options.ts'
import { parsePrinted } from '../../../src/sources/command/parse-printed.ts'

type Settings = Partial<Pick<CommandSettings, 'output' | 'token-pointer' | 'expiry-pointer'>>

const parse = (text: string, settings: Settings = {}) =>
  parsePrinted(text, {
    name: 'get-token',
    settings: { output: 'auto', 'token-pointer': undefined, 'expiry-pointer': undefined, ...settings },
    awsKeysHint: 'use another helper',
  })

const date = '2100-01-01T00:00:00Z'
const end = { atMs: Date.parse(date) }
const exec = (apiVersion: string, status: object) =>
  JSON.stringify({ kind: 'ExecCredential', apiVersion: `client.authentication.k8s.io/${apiVersion}`, status })

describe('without options', () => {
  test.each<[text: string, token: string, end: unknown, headers?: object]>([
    ['abc\n', 'abc', undefined],
    ['  abc\r\n\r\n', 'abc', undefined],
    ['Bearer abc', 'abc', undefined],
    ['"abc"\n', 'abc', undefined],
    ['{"token":"abc"}', 'abc', undefined],
    [`{"token":"abc","headers":{"X-A":"b"},"expiresAt":"${date}"}`, 'abc', end, { 'X-A': 'b' }],
    [`{"Version":1,"token":"abc","Expiration":"${date}"}`, 'abc', end],
    ['{"access_token":"abc","token_type":"bearer","expires_in":3600}', 'abc', { inSec: 3600 }],
    ['{"id_token":"abc","token_type":"N_A","expires_in":"60"}', 'abc', { inSec: 60 }],
    [
      '{"accessToken":"abc","expiresOn":"2100-01-01 09:00:00.000000","expires_on":4102444800,"tokenType":"Bearer"}',
      'abc',
      end,
    ],
    ['{"accessToken":"abc","expiresOn":"2100-01-01 09:00:00.000000"}', 'abc', undefined],
    ['{"access_token":"abc","expiry":"0001-01-01T00:00:00Z"}', 'abc', undefined],
    ['{"access_token":"abc","headers":{"X-A":"b"}}', 'abc', undefined],
    [exec('v1', { token: 'abc', expirationTimestamp: date }), 'abc', end],
    [exec('v1beta1', { token: 'abc' }), 'abc', undefined],
  ])('%j is read as a token', (text, token, ends, headers) => {
    expect(parse(text)).toEqual({ token, end: ends, headers, shape: expect.any(String) })
  })
})

describe('with options', () => {
  test.each<[settings: Settings, text: string, token: string, end: unknown]>([
    [{ output: 'first-line' }, 'abc\nurl: x\n', 'abc', undefined],
    [{ output: 'token' }, '{abc', '{abc', undefined],
    [{ output: 'json' }, '{"token":"abc"}', 'abc', undefined],
    [{ 'token-pointer': '/0/svids/0/svid' }, '[{"svids":[{"svid":"abc"}]}]', 'abc', undefined],
    [{ 'token-pointer': '' }, '"abc"', 'abc', undefined],
    [
      { 'token-pointer': '/a', 'expiry-pointer': '/b/c' },
      '{"a":"abc","b":{"c":4102444800000},"expires_in":60}',
      'abc',
      end,
    ],
    [{ 'expiry-pointer': '/meta/end' }, `{"token":"abc","expires_in":60,"meta":{"end":"${date}"}}`, 'abc', end],
    [{ 'token-pointer': '/a', 'expiry-pointer': '/b' }, '{"a":"abc","b":null}', 'abc', undefined],
  ])('the settings %j find the token in %j: %s', (settings, text, token, ends) => {
    expect(parse(text, settings)).toMatchObject({ token, end: ends })
  })
})

describe('a text that is not repeated', () => {
  const keys = { AccessKeyId: 'canary', SecretAccessKey: 'canary', SessionToken: 'canary' }

  const otherVersion = [
    'get-token did not print an ExecCredential of client.authentication.k8s.io/v1 or v1beta1',
    'have it print one of these versions, or set output to what it prints',
  ] as const
  const noDate = [
    'get-token printed JSON with no date at /b',
    'correct expiry-pointer: there has to be a date with its zone, seconds or milliseconds since 1970, or seconds from now',
  ] as const

  test.each<[text: string, message: string, hint: string, settings?: Settings]>([
    [
      'canary\ncanary',
      'get-token printed 2 lines, but a token is one line',
      'set output to first-line if the first line is the token, or have it print the token and nothing else',
    ],
    [
      'canary canary',
      'what get-token printed has spaces, line breaks or characters beyond ASCII, which no token has',
      'have it print the token and nothing else',
    ],
    ['{"canary', 'get-token printed a text that is not JSON', 'have it print one JSON document and nothing else'],
    [
      '{"data":{},"canary sentence":1,"ghp_canary1":2}',
      'get-token printed JSON in which no member is known to be the token; it has data',
      'say where it is with token-pointer, such as /data/token',
    ],
    [
      '[]',
      'get-token printed JSON in which no member is known to be the token',
      'say where it is with token-pointer, such as /data/token',
    ],
    [
      '{"access_token":"canary","id_token":"canary"}',
      'get-token printed JSON in which access_token and id_token may be the token',
      'name one of them with token-pointer, such as /access_token',
    ],
    [
      '{"accessToken":"canary","tokenType":"pop"}',
      'get-token printed a token whose type is not Bearer',
      'have it print a bearer token',
    ],
    [
      '{"token":"canary","headers":{"Cookie":"canary"}}',
      '"headers" of what get-token printed: "Cookie" belongs to the client and cannot be set',
      'have it print headers that a client can send',
    ],
    [
      '{"token":"canary","headers":["canary"]}',
      '"headers" of what get-token printed is not an object of strings',
      'have it print each header as "Name": "value"',
    ],
    ['{"token":""}', '"token" of what get-token printed is empty', 'have it print the token there'],
    [
      JSON.stringify({ Version: 1, ...keys }),
      'get-token printed AWS keys (credential_process), and no part of them is a bearer token',
      'use another helper',
    ],
    [exec('v1alpha1', { token: 'canary' }), ...otherVersion],
    [
      exec('v1', { clientCertificateData: 'canary' }),
      'get-token printed an ExecCredential without "status.token"',
      'name a program that gives a token: a client certificate cannot be sent to a gateway as a token',
    ],
    ['{"token":"canary"}', ...otherVersion, { output: 'exec-credential' }],
    [
      '{"a":7}',
      'get-token printed JSON without a string at /a',
      'correct token-pointer: it names the members from the outside in, each behind a slash',
      { 'token-pointer': '/a' },
    ],
    ['{"token":"canary"}', ...noDate, { 'expiry-pointer': '/b' }],
    ['{"token":"canary","b":"2100-01-01 09:00:00"}', ...noDate, { 'expiry-pointer': '/b' }],
    [
      'canary',
      'get-token did not print JSON, which expiry-pointer needs',
      'remove expiry-pointer, or have the program print JSON',
      { 'expiry-pointer': '/b' },
    ],
  ])('%j is refused: %s', (text, message, hint, settings) => {
    expect(() => parse(text, settings)).toThrow(new HelperError('not-configured', message, hint))
  })
})
