import { expect, test } from 'vitest'
import { type SignedRequest, verifyHeaderSignature, verifyQuerySignature } from './sigv4-verify.ts'

/** The key of AWS's own SigV4 test suite. */
const suiteKey = { secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' }
/** The key of the examples in the S3 documentation. */
const s3Key = { secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' }

const secretOf = (accessKeyId: string) =>
  new Map([
    ['AKIDEXAMPLE', suiteKey],
    ['AKIAIOSFODNN7EXAMPLE', s3Key],
  ]).get(accessKeyId)

const suiteNow = new Date('2015-08-30T12:36:00Z')

function suiteRequest(signature: string, changes: Partial<SignedRequest & { body: string }> = {}) {
  const { headers, ...rest } = changes
  const names = ['host', 'x-amz-date', ...Object.keys(headers ?? {})].sort().join(';')
  return {
    method: 'GET',
    url: 'https://example.amazonaws.com/',
    body: '',
    secretOf,
    now: suiteNow,
    ...rest,
    headers: {
      'X-Amz-Date': '20150830T123600Z',
      Authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=${names}, Signature=${signature}`,
      ...headers,
    },
  }
}

const vanilla = '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'
const form = { 'content-type': 'application/x-www-form-urlencoded' }

test.each([
  ['get-vanilla', suiteRequest(vanilla)],
  [
    'get-vanilla-query-order-key-case',
    suiteRequest('b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500', {
      url: 'https://example.amazonaws.com/?Param2=value2&Param1=value1',
    }),
  ],
  [
    'post-vanilla',
    suiteRequest('5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b', { method: 'POST' }),
  ],
  [
    'post-x-www-form-urlencoded',
    suiteRequest('ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a', {
      method: 'POST',
      headers: form,
      body: 'Param1=value1',
    }),
  ],
  ['get-slash (normalized)', suiteRequest(vanilla, { url: 'https://example.amazonaws.com//' })],
  ['get-relative (normalized)', suiteRequest(vanilla, { url: 'https://example.amazonaws.com/example/..' })],
])('accepts the published vector %s', (_, request) => {
  expect(verifyHeaderSignature(request)).toEqual({
    ok: true,
    accessKeyId: 'AKIDEXAMPLE',
    signedAt: suiteNow,
    expiresAt: new Date('2015-08-30T12:41:00Z'),
    region: 'us-east-1',
    service: 'service',
  })
})

const forged = ['wrong-signature', 'AKIDEXAMPLE did not sign this request'] as const

test.each<[string, SignedRequest & { body: string }, reason: string, detail: string]>([
  ['another body', suiteRequest(vanilla, { body: 'x' }), ...forged],
  ['another path', suiteRequest(vanilla, { url: 'https://example.amazonaws.com/a' }), ...forged],
  ['another host', suiteRequest(vanilla, { url: 'https://example.com/' }), ...forged],
  ['another method', suiteRequest(vanilla, { method: 'PUT' }), ...forged],
  ['a changed signature', suiteRequest(vanilla.replace('5', '6')), ...forged],
  [
    'a key nobody has',
    suiteRequest(vanilla, { secretOf: () => undefined }),
    'unknown-key',
    'there is no access key AKIDEXAMPLE',
  ],
  [
    'a session token left out',
    suiteRequest(vanilla, { secretOf: () => ({ ...suiteKey, sessionToken: 'token' }) }),
    'wrong-session-token',
    'not the session token of AKIDEXAMPLE',
  ],
  [
    'a clock 6 minutes ahead of the signature',
    suiteRequest(vanilla, { now: new Date('2015-08-30T12:42:00Z') }),
    'expired',
    'Signature expired: 20150830T123600Z is now earlier than 20150830T123700Z (20150830T124200Z - 5 min.)',
  ],
  [
    'a clock 6 minutes behind the signature',
    suiteRequest(vanilla, { now: new Date('2015-08-30T12:30:00Z') }),
    'not-yet-valid',
    'Signature not yet current: 20150830T123600Z is still later than 20150830T123500Z (20150830T123000Z + 5 min.)',
  ],
  [
    'a key that has ended',
    suiteRequest(vanilla, { secretOf: () => ({ ...suiteKey, expiration: suiteNow }) }),
    'expired-credentials',
    'the access key AKIDEXAMPLE has expired',
  ],
  [
    'an x-amz- header that nobody signed',
    { ...suiteRequest(vanilla), headers: { ...suiteRequest(vanilla).headers, 'x-amz-target': 'Other' } },
    'malformed',
    'the header x-amz-target must be both sent and signed',
  ],
  ['no signature', { ...suiteRequest(vanilla), headers: {} }, 'malformed', 'Authorization is missing or malformed'],
])('refuses the header signature with %s', (_, request, reason, detail) => {
  expect(verifyHeaderSignature(request)).toEqual({ ok: false, reason, detail })
})

/** https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html */
const presigned = {
  method: 'GET',
  url: 'https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  headers: {},
  secretOf,
  now: new Date('2013-05-24T12:00:00Z'),
  payloadHash: 'UNSIGNED-PAYLOAD',
}
const accepted = {
  ok: true,
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  signedAt: new Date('2013-05-24T00:00:00Z'),
  expiresAt: new Date('2013-05-25T00:00:00Z'),
  region: 'us-east-1',
  service: 's3',
}

test('accepts the presigned URL that the S3 documentation shows', () => {
  expect(verifyQuerySignature(presigned)).toEqual(accepted)
})

test('an unsigned payload is a wrong signature unless the caller asks for it', () => {
  const { payloadHash: _, ...request } = presigned
  expect(verifyQuerySignature(request)).toEqual({
    ok: false,
    reason: 'wrong-signature',
    detail: 'AKIAIOSFODNN7EXAMPLE did not sign this request',
  })
})

test('a presigned URL expires with the key that signed it', () => {
  const expiration = new Date('2013-05-24T13:00:00Z')
  const request = { ...presigned, secretOf: () => ({ ...s3Key, expiration }) }
  expect(verifyQuerySignature(request)).toEqual({ ...accepted, expiresAt: expiration })
})

test('a service that ignores X-Amz-Expires has its own', () => {
  expect(verifyQuerySignature({ ...presigned, lifeSec: 900 })).toEqual({
    ok: false,
    reason: 'expired',
    detail: 'Signature expired: 20130524T000000Z is now earlier than 20130524T114500Z (20130524T120000Z - 15 min.)',
  })
})

const wrong = 'AKIAIOSFODNN7EXAMPLE did not sign this request'

test.each([
  ['a longer life', 'Expires=86400', 'Expires=86401', 'wrong-signature', wrong],
  ['another region', 'us-east-1', 'us-west-1', 'wrong-signature', wrong],
  ['one more parameter', 'test.txt?', 'test.txt?versionId=1&', 'wrong-signature', wrong],
  ['a life above a week', 'Expires=86400', 'Expires=604801', 'malformed', 'X-Amz-Expires is above 604800'],
  ['no life', 'Expires=86400', 'Expires=0', 'malformed', 'X-Amz-Expires is missing or malformed'],
  ['a date twice', '&X-Amz-Expires', '&X-Amz-Date=x&X-Amz-Expires', 'malformed', 'X-Amz-Date is given more than once'],
  ['a date of no calendar', 'Date=20130524T0', 'Date=20130524T9', 'malformed', 'X-Amz-Date is not a date'],
  [
    'another day',
    'Date=20130524',
    'Date=20130523',
    'malformed',
    'the credential scope is of another day than X-Amz-Date',
  ],
  ['another algorithm', 'AWS4-HMAC', 'AWS4-ECDSA', 'malformed', 'X-Amz-Algorithm is missing or malformed'],
  [
    'a signed header not sent',
    '=host&',
    '=host%3Bx-aud&',
    'malformed',
    'the header x-aud must be both sent and signed',
  ],
  ['a host not signed', '=host&', '=x-aud&', 'malformed', 'the header host must be both sent and signed'],
  ['a short signature', 'aeeed9', '', 'malformed', 'Signature is missing or malformed'],
  ['a broken escape', 'test.txt?', 'test.txt?%E0%A4%A&', 'malformed', 'the query is not valid percent-encoding'],
  ['no host', 'https://examplebucket.s3.amazonaws.com', '', 'malformed', 'the URL cannot be read'],
])('refuses a presigned URL with %s', (_, from, to, reason, detail) => {
  expect(verifyQuerySignature({ ...presigned, url: presigned.url.replace(from, to) })).toEqual({
    ok: false,
    reason,
    detail,
  })
})
