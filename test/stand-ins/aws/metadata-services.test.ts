import { fromContainerMetadata, fromHttp, fromInstanceMetadata } from '@aws-sdk/credential-providers'
import { expect, test } from 'vitest'
import { fetchCaller } from './aws-test-client.ts'
import { startAwsTestEnvironment } from './aws-test-environment.ts'

const role = 'arn:aws:iam::111122223333:role/build'
const session = 'arn:aws:sts::111122223333:assumed-role/build/i-0123456789abcdef0'

test.each([
  ['fromContainerMetadata', fromContainerMetadata],
  ['fromHttp', fromHttp],
])('%s finds the container’s role with its authorization token', async (_, provider) => {
  await using environment = await startAwsTestEnvironment()
  const { aws } = environment
  environment.use(aws.addContainerRole({ arn: role, authorizationToken: 'Bearer inside' }))
  expect(await fetchCaller(await provider()())).toEqual({
    Arn: session,
    UserId: 'AROA6CD8EBAF9CBC2471B:i-0123456789abcdef0',
    Account: '111122223333',
  })
  expect(aws.requests[0]).toEqual({ operation: 'GetContainerCredentials', parameters: {}, status: 200 })
})

test('a container without the authorization token is refused', async () => {
  await using environment = await startAwsTestEnvironment()
  const { aws } = environment
  const { AWS_CONTAINER_CREDENTIALS_FULL_URI } = aws.addContainerRole({
    arn: role,
    authorizationToken: 'Bearer inside',
  })
  environment.use({ AWS_CONTAINER_CREDENTIALS_FULL_URI: AWS_CONTAINER_CREDENTIALS_FULL_URI! })
  expect(await fromContainerMetadata()().catch(({ statusCode, message }) => ({ statusCode, message }))).toEqual({
    statusCode: 401,
    message: 'Error response received from instance metadata service',
  })
})

test('fromInstanceMetadata finds the instance’s role with a metadata token', async () => {
  await using environment = await startAwsTestEnvironment()
  environment.aws.addInstanceRole({ arn: role })
  expect(await fetchCaller(await fromInstanceMetadata()())).toEqual({
    Arn: session,
    UserId: 'AROA6CD8EBAF9CBC2471B:i-0123456789abcdef0',
    Account: '111122223333',
  })
  expect(environment.aws.requests.slice(0, 3)).toEqual([
    { operation: 'PutMetadataToken', parameters: {}, status: 200 },
    { operation: 'ListInstanceRoles', parameters: {}, status: 200 },
    { operation: 'GetInstanceCredentials', parameters: { role: 'build' }, status: 200 },
  ])
})

const listPath = '/latest/meta-data/iam/security-credentials/'

test('a machine without roles has neither service', async () => {
  await using environment = await startAwsTestEnvironment()
  const { aws } = environment
  const ask = async (path: string, method = 'GET') => (await fetch(`${aws.url}${path}`, { method })).status
  expect([await ask('/container-credentials'), await ask('/latest/api/token', 'PUT'), await ask(listPath)]).toEqual([
    404, 404, 404,
  ])
})

const noToken = { Code: 'Unauthorized', Message: 'no valid token' }
test.each([
  ['without a token', 'GET', listPath, {}, 401, noToken],
  ['with a token of its own', 'GET', `${listPath}build`, { 'x-aws-ec2-metadata-token': 'mine' }, 401, noToken],
  [
    'without a time to live',
    'PUT',
    '/latest/api/token',
    {},
    400,
    { Code: 'BadRequest', Message: 'the time to live is missing or wrong' },
  ],
])('the instance’s service refuses a request %s', async (_, method, path, headers, status, body) => {
  await using environment = await startAwsTestEnvironment()
  environment.aws.addInstanceRole({ arn: role })
  const response = await fetch(`${environment.aws.url}${path}`, { method, headers })
  expect([response.status, await response.json()]).toEqual([status, body])
})

test('the instance’s service knows no other role', async () => {
  await using environment = await startAwsTestEnvironment()
  const { aws } = environment
  aws.addInstanceRole({ arn: role })
  const ttl = { 'x-aws-ec2-metadata-token-ttl-seconds': '60' }
  const token = await (await fetch(`${aws.url}/latest/api/token`, { method: 'PUT', headers: ttl })).text()
  const headers = { 'x-aws-ec2-metadata-token': token }
  const response = await fetch(`${aws.url}${listPath}other`, { headers })
  expect([response.status, await response.json()]).toEqual([404, { Code: 'NotFound', Message: 'nothing here' }])
})
