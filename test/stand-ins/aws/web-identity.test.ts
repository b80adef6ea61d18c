import { fromWebToken } from '@aws-sdk/credential-providers'
import { expect, test } from 'vitest'
import { fetchCaller, refusalOf } from './aws-test-client.ts'
import { startAwsTestEnvironment } from './aws-test-environment.ts'

const user = 'arn:aws:iam::111122223333:user/dev'
const role = 'arn:aws:iam::444455556666:role/path/build'
const session = 'arn:aws:sts::444455556666:assumed-role/build/s1'

const issuer = 'https://issuer.example'
const jwt = (claims: Record<string, unknown>) =>
  ['{"alg":"RS256"}', JSON.stringify(claims), 'not checked']
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.')
const claims = { iss: issuer, sub: 'runner', aud: 'sts.amazonaws.com', exp: 4_000_000_000 }
const assumeWith = (webIdentityToken: string) =>
  fromWebToken({ webIdentityToken, roleArn: role, roleSessionName: 's1', clientConfig: { maxAttempts: 1 } })()

test('exchanges a JWT of a registered issuer for a role that trusts it', async () => {
  await using environment = await startAwsTestEnvironment()
  const { aws } = environment
  aws.addIdentityProvider({ issuer, audiences: ['sts.amazonaws.com'] })
  aws.addRole({ arn: role, trusts: (caller) => caller.kind === 'web-identity' && caller.subject === 'runner' })
  expect(await fetchCaller(await assumeWith(jwt(claims)))).toEqual({
    Arn: session,
    UserId: 'AROA053C30ECA84DF481F:s1',
    Account: '444455556666',
  })
})

test.each([
  [
    'that is malformed',
    'opaque',
    {
      name: 'InvalidIdentityTokenException',
      status: 400,
      message: 'The ID Token provided is not a valid JWT. (You may see this error if you sent an Access Token)',
    },
  ],
  [
    'without a subject',
    jwt({ ...claims, sub: undefined }),
    { name: 'InvalidIdentityTokenException', status: 400, message: 'Missing a required claim: iss, sub, aud or exp' },
  ],
  [
    'of an issuer that is not registered',
    jwt({ ...claims, iss: 'https://other.example' }),
    {
      name: 'InvalidIdentityTokenException',
      status: 400,
      message: 'No OpenIDConnect provider found in your account for https://other.example',
    },
  ],
  [
    'for another audience',
    jwt({ ...claims, aud: ['other'] }),
    { name: 'InvalidIdentityTokenException', status: 400, message: 'Incorrect token audience' },
  ],
  [
    'that has ended',
    jwt({ ...claims, exp: 1000 }),
    {
      name: 'ExpiredTokenException',
      status: 400,
      message: 'Token expired: current date/time NOW must be before the expiration date/time 1000',
    },
  ],
  [
    'that the role does not trust',
    jwt(claims),
    { name: 'AccessDenied', status: 403, message: 'Not authorized to perform sts:AssumeRoleWithWebIdentity' },
  ],
])('refuses a JWT %s', async (_, token, expected) => {
  await using environment = await startAwsTestEnvironment()
  environment.aws.addIdentityProvider({ issuer, audiences: ['sts.amazonaws.com'] })
  environment.aws.addRole({ arn: role, trusts: [user] })
  const refusal = await refusalOf(assumeWith(token))
  expect({ ...refusal, message: refusal?.message.replace(/\d{10}/, 'NOW') }).toEqual(expected)
})
