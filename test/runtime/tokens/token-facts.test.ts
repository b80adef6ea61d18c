import { expect, test } from 'vitest'
import { parseTokenFacts } from '../../../src/runtime/tokens/token-facts.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')
const jwt = (claims: unknown) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`
const query =
  'Action=CallWithBearerToken&X-Amz-Algorithm=AWS4-HMAC-SHA256' +
  '&X-Amz-Credential=AKIDEXAMPLE%2F20260115%2Feu-central-1%2Fbedrock%2Faws4_request' +
  '&X-Amz-Date=20260115T120000Z&X-Amz-Expires=600&X-Amz-SignedHeaders=host'
const proof = (prefix: string) =>
  prefix +
  base64(`https://sts.eu-central-1.amazonaws.com/?${query.replace('CallWithBearerToken', 'GetCallerIdentity')}`)
const login = (headers: object) =>
  base64(JSON.stringify({ iam_http_request_method: 'POST', iam_request_headers: base64(JSON.stringify(headers)) }))
const noon = Date.UTC(2026, 0, 15, 12)
const key = (more = '') => `bedrock-api-key-${base64(`bedrock.amazonaws.com/?${query}${more}&Version=1`)}`

test.each<[what: string, token: string, end: unknown]>([
  ['a word', 'opaque-token', undefined],
  ['a JWT', jwt({ exp: 1_800_000_000 }), { source: 'JWT exp', at: 1_800_000_000_000 }],
  ['a JWT without an end', jwt({ sub: 'x' }), undefined],
  ['a JWT whose end is a text', jwt({ exp: 'soon' }), undefined],
  ['a JWT that holds no object', jwt(null), undefined],
  ['three words with dots', 'a.b.c', undefined],
  ['a Bedrock API key', key(), { source: 'AWS X-Amz-Expires', at: noon + 600_000 }],
  [
    'a token for a cluster',
    `k8s-aws-v1.${Buffer.from(`https://sts.eu-central-1.amazonaws.com/?${query}`).toString('base64url')}`,
    { source: 'AWS X-Amz-Expires', at: noon + 600_000 },
  ],
  ['a proof of an identity', proof('k8s-aws-v1.'), { source: 'AWS X-Amz-Date', at: noon + 900_000 }],
  ['one behind another prefix', proof('Corp-gw/'), { source: 'AWS X-Amz-Date', at: noon + 900_000 }],
  ['a login of Vault', login({ 'X-Amz-Date': ['20260115T120000Z'] }), { source: 'AWS X-Amz-Date', at: noon + 900_000 }],
  ['a login of Vault without a date', login({}), undefined],
  [
    'a presigned request without a date',
    `bedrock-api-key-${base64('bedrock.amazonaws.com/?X-Amz-Expires=600')}`,
    undefined,
  ],
])('the end of %s is the one that it states', (_, token, end) => {
  expect(parseTokenFacts(token, {}).end).toEqual(end)
})

test.each<[header: object, algorithm: string | undefined]>([
  [{ alg: 'ES384' }, 'ES384'],
  [{ alg: 'a text of its issuer' }, undefined],
  [{ alg: 5 }, undefined],
  [{}, undefined],
])('the algorithm of a JWT with the header %j is %s', (header, algorithm) => {
  const token = `${Buffer.from(JSON.stringify(header)).toString('base64url')}.e30.c2ln`
  expect(parseTokenFacts(token, {}).algorithm).toBe(algorithm)
})

test('a Bedrock API key states its life and its session, but no secret', () => {
  const facts = parseTokenFacts(key('&X-Amz-Security-Token=canary&X-Amz-Signature=canary'), {})
  expect(facts.awsKey).toEqual({
    service: {
      name: 'bedrock',
      key: 'Bedrock API key',
      prefix: 'bedrock-api-key-',
      longTermPrefix: 'ABSK',
      workspace: 'none',
      uses: [
        { label: 'bedrock-runtime', permissions: 'bedrock:CallWithBearerToken, and bedrock:InvokeModel for the model' },
        {
          label: 'bedrock-mantle',
          permissions:
            'bedrock:CallWithBearerToken, bedrock-mantle:CallWithBearerToken and bedrock-mantle:CreateInference',
        },
      ],
    },
    region: 'eu-central-1',
    signedAt: noon,
    expiresSec: 600,
    session: 'e100fbce008c04ec40637af0af91fb2f05aeedc23f856a2d3c0b1580625d755e',
    signature: 'unknown',
  })
})

test.each([
  ['that the key of the environment has not made is invalid', key('&X-Amz-Signature=00'), 'invalid'],
  ['of an unsigned payload is named so', key('&X-Amz-Content-Sha256=UNSIGNED-PAYLOAD'), 'unsigned-payload'],
  ['is not in another token', 'another-token', undefined],
])('a signature %s', (_, token, signature) => {
  const env = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'x' }
  expect(parseTokenFacts(token, env).awsKey?.signature).toBe(signature)
})
