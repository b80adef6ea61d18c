import { expect, test } from 'vitest'
import { describeToken } from '../../../src/cli/verify/describe-token.ts'
import { writeJwt } from './verify-here.ts'

const encode = (text: string) => Buffer.from(text).toString('base64')
const query = (action: string, more = '') =>
  `Action=${action}&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20260115%2Feu-west-1%2Fx%2Faws4_request&X-Amz-Date=20260115T120000Z&X-Amz-Expires=60&X-Amz-SignedHeaders=host%3Bx-k8s-aws-id&X-Amz-Signature=canary${more}`
const session = '&X-Amz-Security-Token=canary'
const proof = (host: string) => `https://${host}/?${query('GetCallerIdentity', session)}`
const key = (service: string) =>
  `${service}-api-key-${encode(`${service}.amazonaws.com/?${query('CallWithBearerToken', session)}`)}`
const login = (headers: object) =>
  encode(
    JSON.stringify({
      iam_http_request_method: 'POST',
      iam_request_url: encode('https://sts.amazonaws.com/'),
      iam_request_headers: encode(JSON.stringify(headers)),
    }),
  )
const vault = login({
  Authorization: [
    'AWS4-HMAC-SHA256 Credential=ASIAIOSFODNN7EXAMPLE/20260115/us-east-1/sts/aws4_request, SignedHeaders=host;x-vault-aws-iam-server-id, Signature=canary',
  ],
  'X-Amz-Date': ['20260115T120000Z'],
  'X-Vault-Aws-Iam-Server-Id': ['vault.example.com'],
})
const temporary = 'signed with: temporary credentials, as of a role'

test.each<[token: string, title: string, facts: string[], lifeSec: number | undefined]>([
  ['canary', 'an opaque token', [], undefined],
  [key('bedrock'), 'a short-term Bedrock API key', ['service: bedrock', 'region: eu-west-1', temporary], 60],
  [
    key('aws-external-vendor'),
    'a short-term aws-external-vendor API key',
    ['service: aws-external-vendor', 'region: eu-west-1', temporary],
    60,
  ],
  ['bedrock-api-key-canary', 'a short-term Bedrock API key', ['service: bedrock'], undefined],
  [`ABSK${encode('canary')}`, 'a long-term Bedrock API key', [], undefined],
  ['sk-vendor-api01-canary', 'an API key of the platform', [], undefined],
  ['sk-vendor-admin01-canary', 'an administrative API key of the platform', [], undefined],
  ['sk-vendor-oat01-canary', "an access token of the platform's token exchange", [], undefined],
  ['sk-vendor-dat01-canary', 'an attestation token of the platform', [], undefined],
  ['sk-vendor-new99-canary', 'a secret of the platform, of a kind that this version does not know', [], undefined],
  [
    `k8s-aws-v1.${Buffer.from(proof('sts.eu-west-1.amazonaws.com')).toString('base64url')}`,
    'a proof of an AWS identity (GetCallerIdentity)',
    [
      'form: a presigned URL',
      'prefix: k8s-aws-v1.',
      'host: sts.eu-west-1.amazonaws.com',
      'region: eu-west-1',
      'access key id: AKIAIOSFODNN7EXAMPLE',
      temporary,
      'audience (x-k8s-aws-id): its value is signed, and stands in the request that the server makes',
    ],
    900,
  ],
  [
    `corp/${vault}`,
    'a proof of an AWS identity (GetCallerIdentity)',
    [
      'form: a login of Vault',
      'prefix: corp/',
      'host: sts.amazonaws.com',
      'region: us-east-1',
      'access key id: ASIAIOSFODNN7EXAMPLE',
      'signed with: the long-term key of a user',
      'audience (x-vault-aws-iam-server-id): vault.example.com',
    ],
    900,
  ],
  ['k8s-aws-v1.canary', 'a proof of an AWS identity (GetCallerIdentity)', [], undefined],
  ['eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ4In0', 'a damaged JWT', [], undefined],
  ['eyJhbGciOiJkaXIiLCJlbmMiOiJBMTI4R0NNIn0.a.b.c.d', 'an encrypted JWT (JWE)', [], undefined],
])('%s is described', (token, title, facts, lifeSec) => {
  const described = describeToken(token)
  const { issuedAt = 0, expiresAt } = described.life
  expect({
    title: described.title,
    facts: described.facts.map(({ name, value }) => `${name}: ${value}`),
    lifeSec: expiresAt === undefined ? undefined : (expiresAt - issuedAt) / 1000,
  }).toEqual({ title, facts, lifeSec })
  expect(JSON.stringify(described)).not.toContain('canary')
})

test.each<[claims: object, header: object, title: string]>([
  [{ iss: 'https://abc.tokens.sts.global.api.aws' }, {}, 'an AWS identity token (JWT)'],
  [{ sub: 'x' }, { typ: 'application/at+jwt' }, 'an access token (JWT)'],
  [{ scp: 'x', email: 'x' }, {}, 'an access token (JWT)'],
  [{ nonce: 'x', scope: 'y' }, {}, 'an ID token (JWT)'],
  [{ 'kubernetes.io': {} }, {}, 'an identity token of a Kubernetes service account (JWT)'],
  [{ iss: 'https://token.actions.githubusercontent.com' }, {}, 'an identity token of GitHub Actions (JWT)'],
  [{ namespace_path: 'x' }, {}, 'an identity token of GitLab (JWT)'],
  [{ google: {} }, {}, 'an identity token of a Google workload (JWT)'],
  [{ sub: 'spiffe://x/y' }, {}, 'a SPIFFE identity token (JWT)'],
  [{}, { typ: 'dpop+jwt' }, 'a DPoP proof, which is not a token by itself (JWT)'],
  [{}, { typ: 'logout+jwt' }, 'a logout token, which signs nobody in (JWT)'],
  [{}, { typ: 'oauth-id-jag+jwt' }, 'an ID-JAG assertion (JWT)'],
  [{ iss: 5, sub: null, typ: [] }, { typ: {} }, 'a JWT'],
])('a JWT with the claims %j and the header %j is described', (claims, header, title) => {
  expect(describeToken(writeJwt(claims, header)).title).toBe(title)
})

test.each<[header: object, warning: string]>([
  [{ alg: 'none' }, 'it is not signed: anybody can write such a token'],
  [{ alg: 'HS256' }, 'it is signed with a shared secret (HMAC): whoever can verify it can also make one'],
  [{ jku: 'https://evil.example' }, 'its header brings a key, or the address of one, which nobody must trust'],
])('the owner of a JWT with the header %j is warned', (header, warning) => {
  expect(describeToken(writeJwt({ exp: 1 }, header)).warnings).toEqual([warning])
})

test('text of a hostile issuer stays on one bounded line without a credential', () => {
  const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`
  const { facts, ...described } = describeToken(
    writeJwt(
      `{"iss":"https://user:canary@login.example.com/?key=canary","sub":"a\\u001b[31m\\nb\\u202ec","aud":${deep},"azp":"x eyJjYW5hcnki.e30.c2ln",` +
        `"name":"${'n'.repeat(3000)}","roles":[${'"r",'.repeat(500)}"s"],"email":"sk-vendor-api01-canary","scope":{"a":1},"constructor":"canary",` +
        `"__proto__":{"oid":"canary"},"act":{"sub":"other","x":"canary"},"\\u001b[2J":1,"google":5,"exp":1e300,"nbf":"soon"}`,
    ),
    ['toString'],
  )
  expect({ ...described, facts: facts.map(({ name, value }) => `${name}: ${value}`) }).toEqual({
    facts: [
      'iss: https://[secret]@login.example.com/?[secret]',
      'sub: a\\u001b[31m b\\u202ec',
      'aud: a list',
      'azp: x [secret]',
      'email: [secret]',
      `name: ${'n'.repeat(200)}… (3000 characters)`,
      'scope: an object with 1 member',
      'roles: r, r, r, r, r, r, r, r, r, r, … (501 in all)',
      'act sub: other',
      'alg (header): ES256',
      'kid (header): k1',
    ],
    kind: 'jwt',
    title: 'an identity token of a Google workload (JWT)',
    hidden: ['\\u001b[2J', '__proto__', 'constructor'],
    life: {},
    warnings: [],
  })
})
