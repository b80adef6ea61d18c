import { expect, test } from 'vitest'
import { explainChallenge, explainInvalid } from '../../../../src/client/doctor/verifier/explain-challenge.ts'
import type { StatedToken } from '../../../../src/client/doctor/verifier/stated-token.ts'

const stated: StatedToken = {
  kind: 'jwt',
  title: 'an ID token',
  issuer: '"https://login.example.com"',
  audience: '"desktop"',
}
const own = '; this one is for "desktop", of "https://login.example.com"'
const lacking = 'the gateway accepts the token as genuine, but a claim or scope that it requires is missing'
const pages = {
  nginx:
    '<html>\r\n<head><title>401 Authorization Required</title></head>\r\n<body>\r\n<center><h1>401 Authorization Required</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n',
  Apache:
    '<!DOCTYPE HTML PUBLIC "-//IETF//DTD HTML 2.0//EN">\n<html><head>\n<title>403 Forbidden</title>\n</head><body>\n<h1>Forbidden</h1>\n<p>You don\'t have permission to access this resource.</p>\n</body></html>\n',
  HAProxy: '<html><body><h1>403 Forbidden</h1>\nRequest forbidden by administrative rules.\n</body></html>\n',
}
const log = (server: string) =>
  `give the gateway's operators the time of the request: the log of ${server}, or of its verifier, has the reason${own}`

test.each<[what: string, status: number, challenge: string, text: string, seen: unknown]>([
  [
    'a page of nginx',
    401,
    '',
    pages.nginx,
    ['nginx itself does not accept the token, and gives no reason', log('nginx')],
  ],
  [
    'a page of Apache',
    403,
    '',
    pages.Apache,
    ['Apache itself does not let the request pass, and gives no reason', log('Apache')],
  ],
  [
    'a page of HAProxy',
    403,
    '',
    pages.HAProxy,
    ['HAProxy itself does not let the request pass, and gives no reason', log('HAProxy')],
  ],
  [
    'a claim that is lacking',
    403,
    'Bearer realm="gateway", error="insufficient_scope"',
    '{}',
    [lacking, `ask the gateway's operators which claims they require of tokens${own}`],
  ],
  [
    'a scope that is lacking',
    403,
    'bearer error="insufficient_scope", scope="a b\u00e9"',
    '',
    [`${lacking}; it asks for the scope "a b\u00e9"`, 'ask for that scope: scopes, in the helper or the document'],
  ],
  ['another page', 403, '', '<html><title>Blocked by nginx</title></html>', undefined],
  ['a page of nginx for another status', 502, '', pages.nginx, undefined],
  ['a token that is not valid', 401, 'Bearer error="invalid_token"', '', undefined],
  ['another scheme', 401, 'Basic realm="error=\\"insufficient_scope\\""', '', undefined],
])('%s is explained', (_what, status, challenge, text, seen) => {
  const headers = new Headers(challenge === '' ? {} : { 'www-authenticate': challenge })
  const found = explainChallenge({ status, text, isMessage: false, headers }, stated)
  expect(found && [found.cause, found.hint]).toEqual(seen)
})

const invalid = 'the gateway says that the token is not valid, but not why'
const proof: StatedToken = { kind: 'aws-identity', title: 'a proof of an AWS identity' }
const operators = "ask the gateway's operators"

test.each<[what: string, challenge: string, token: StatedToken, others: string[], seen: unknown]>([
  [
    'a JWT that is not valid',
    'Bearer realm="gateway", error="invalid_token", error_description="JWT token could not be validated"',
    stated,
    ['x-team'],
    [
      invalid,
      `${operators} which audience and issuer a token must have${own}; then see which check fails: gatepass verify --issuer URL --audience NAME -- followed by the helper's command`,
    ],
  ],
  [
    'a token of another kind',
    'Bearer error="invalid_token"',
    proof,
    [],
    [
      `${invalid}; it is a proof of an AWS identity, and many gateways take JWTs only`,
      `${operators} which kind they take, and choose a helper for that: gatepass choose`,
    ],
  ],
  [
    'a second credential',
    'Bearer error="invalid_token"',
    stated,
    ['X-Api-Key', 'Proxy-Authorization'],
    [
      invalid,
      'remove X-Api-Key and Proxy-Authorization from customHeaders and from the helper: the gateway may have read that instead',
    ],
  ],
  [
    'a token that was not found',
    'Bearer error="invalid_request"',
    stated,
    [],
    [
      'the gateway finds no token in the request, or more than one',
      `${operators} from which header they take the token, and whether a proxy in between removes or adds one`,
    ],
  ],
  ['another error', 'Bearer error="constructor"', stated, [], undefined],
  ['no error', 'Bearer', stated, [], undefined],
])('%s is explained where a gateway gives no reason', (_what, challenge, token, others, seen) => {
  const found = explainInvalid({ headers: new Headers({ 'www-authenticate': challenge }) }, token, others)
  expect(found && [found.cause, found.hint]).toEqual(seen)
})
