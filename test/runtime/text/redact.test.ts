import { describe, expect, test } from 'vitest'
import { redact } from '../../../src/runtime/text/redact.ts'

const secret = 'canary-7f3a91c2d4'

describe('a secret is hidden', () => {
  test.each<[what: string, text: string, shown: string]>([
    ['whole, wherever it stands', `got ${secret}, then "${secret}"`, 'got [secret], then "[secret]"'],
    ['at its beginning, as logs show it', `token ${secret.slice(0, 10)}...`, 'token [secret]...'],
    ['at its end', `…${secret.slice(-8)} ok`, '…[secret] ok'],
    ['inside other words', `x${secret}y`, 'x[secret]y'],
    ['in base64', `b ${Buffer.from(secret).toString('base64')}`, 'b [secret]'],
    ['in hexadecimal', `h ${Buffer.from(secret).toString('hex')}`, 'h [secret]'],
    ['twice in a row', secret + secret, '[secret][secret]'],
  ])('%s', (_, text, shown) => {
    expect(redact(text, [secret])).toBe(shown)
  })

  test('in an encoded URL', () => {
    expect(redact('u=a%2Fb%3Dc%26d%2Be', ['a/b=c&d+e'])).toBe('u=[secret]')
  })

  test('that is short only as a word of its own', () => {
    expect(redact('team prod: production of prod', ['prod'])).toBe('team [secret]: production of [secret]')
  })

  test('with characters that have a meaning in a pattern', () => {
    expect(redact('a (x) b', ['(x)'])).toBe('a [secret] b')
  })

  test('except for the beginning that every key of its service has', () => {
    const said = `aws-bedrock-token: the key ${secret.slice(0, 10)}… is late`
    expect(redact(said, [`bedrock-api-key-${secret}`])).toBe('aws-bedrock-token: the key [secret]… is late')
  })
})

describe('text that looks like a credential is hidden', () => {
  test.each<[what: string, text: string, shown: string]>([
    ['a JWT', 'eyJhbGciOiJub25lIn0.eyJleHAiOjF9.c2ln!', '[secret]!'],
    ['the beginning of a JWT', 'token eyJhbGciOi...', 'token [secret]'],
    ['a Bedrock API key', 'bedrock-api-key-YmVkcm9jay5hbWF6b24=', '[secret]'],
    ['a key of the vendor on AWS', 'aws-external-vendor-api-key-YXdz+/=', '[secret]'],
    ['a long-term Bedrock API key', 'key ABSKQmVkcm9ja0FQSUtleS0x', 'key [secret]'],
    ['an AWS access key id', 'key AKIAIOSFODNN7EXAMPLE.', 'key [secret].'],
    ['a key of the platform', 'sk-vendor-abcd1234', '[secret]'],
    ['an authorization header', 'Authorization: Bearer abc.def', 'Authorization: Bearer [secret]'],
    ['a password in JSON', '{"password": "hunter2"}', '{"password": "[secret]"}'],
    ['a secret on a command line', '--client-secret hunter2 --x 1', '--client-secret [secret] --x 1'],
    [
      'the value of an option that names a secret',
      '--secret hunter2 --api-key=a1',
      '--secret [secret] --api-key=[secret]',
    ],
    [
      'a password in the address behind an option',
      '--token-url https://bob:hunter2@id.example/t --token-url https://id.example/t?key=x',
      '--token-url https://[secret]@id.example/t --token-url https://id.example/t?[secret]',
    ],
    ['a password in a sentence', 'the password: hunter2 is wrong', 'the password: [secret] is wrong'],
    ['a token in a sentence', 'the token: ab12.Cd34ef is wrong', 'the token: [secret] is wrong'],
    ['an assignment', 'TOKEN=hunter2 next', 'TOKEN=[secret] next'],
    [
      'a password of a proxy',
      'proxy http://bob:hunter2@p.example:3128 failed',
      'proxy http://[secret]@p.example:3128 failed',
    ],
    ['a password that a URL would encode', 'http://bob:a/b@c#d@p.example', 'http://[secret]@p.example'],
    ['a user without a password', 'ftp://tok12@p.example/', 'ftp://[secret]@p.example/'],
    [
      'the query of a URL',
      'GET https://idp.example/t?sig=ab1&x=2 gave 500',
      'GET https://idp.example/t?[secret] gave 500',
    ],
    ['the fragment of a URL', '<https://idp.example/t#code=ab1>', '<https://idp.example/t#[secret]>'],
    ['anything long and mixed', 'a1b2c3d4e5f6a7b8c9d0a1b2c3d4e5f6a7b8', '[secret]'],
  ])('%s', (_, text, shown) => {
    expect(redact(text, [])).toBe(shown)
  })

  test.each([
    'the SSO session "corp" expired at 2026-01-15T12:00:00.000Z',
    'hint: run `aws sso login --sso-session corp`, or start a new session',
    '/Library/Application Support/Gatepass/aws-bedrock-token.json: no such file',
    'no token: the keychain is locked',
    'workload-token: 127.0.0.1:8443 did not exchange the identity token',
    'workload-token: api2.example.com did not exchange the identity token',
    'is it https://idp.example:8443/.well-known/x@2/y?',
    'https://idp.example/t?…',
    'request id req_0b9f7d0e-1f7c-4a58-9a0b-3f6f4f1a2b3c',
    'oidc-token sign-in --refresh-token-store file --bearer-token-type=access_token',
    'pass --token-url too, or --issuer in place of both',
    'oidc-token --token-url https://id1.example.com/token --authorization-url https://id1.example.com/authorize',
    'set --exchange-secret-file /etc/gatepass/client1 or --key-variable=NAME1',
    'leave out --client-secret --token-url',
    'the token: https://127.0.0.1:8443/token answered',
    'getaddrinfo ENOTFOUND sts.eu-central-1.amazonaws.com',
  ])('other text is shown: %s', (text) => {
    expect(redact(text, [])).toBe(text)
  })
})
