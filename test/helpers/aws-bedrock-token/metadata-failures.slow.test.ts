import { expect, test } from 'vitest'
import { startMuteServer } from '../../stand-ins/deaf-servers.ts'
import { failure, startWorkbench } from './workbench.ts'

const AWS_REGION = 'eu-central-1'
const nobody = 'http://127.0.0.1:1'
const task = 'check the role of the task or pod'
const instance = 'check that this machine has an instance profile, or name a profile with --profile or AWS_PROFILE'

test('a refusal of a container’s endpoint is reported with its status', async () => {
  await using bench = await startWorkbench()
  const env = bench.aws.addContainerRole({ arn: 'arn:aws:iam::1:role/host', authorizationToken: 'canary' })
  const AWS_CONTAINER_AUTHORIZATION_TOKEN = 'canary of another'
  expect(await bench.run({ env: { ...env, AWS_REGION, AWS_CONTAINER_AUTHORIZATION_TOKEN } })).toEqual(
    failure(
      5,
      `the container credentials endpoint ${bench.aws.url}/container-credentials answered with HTTP 401`,
      task,
    ),
  )
})

test('a container’s endpoint where nothing listens is reported', async () => {
  await using bench = await startWorkbench()
  expect(await bench.run({ env: { AWS_REGION, AWS_CONTAINER_CREDENTIALS_FULL_URI: nobody } })).toEqual(
    failure(
      6,
      `the container credentials endpoint ${nobody}/ cannot be reached or gave no credentials (ECONNREFUSED)`,
      'see whether this runs in a task or pod with a role; its agent sets the variables AWS_CONTAINER_CREDENTIALS_…',
    ),
  )
})

test('a container’s endpoint on another host than the container’s own is not asked', async () => {
  await using bench = await startWorkbench()
  const AWS_CONTAINER_CREDENTIALS_FULL_URI = 'http://gatepass.invalid/credentials'
  expect(await bench.run({ env: { AWS_REGION, AWS_CONTAINER_CREDENTIALS_FULL_URI } })).toEqual(
    failure(
      3,
      'AWS_CONTAINER_CREDENTIALS_FULL_URI leads to gatepass.invalid over plain http',
      'leave the variable as the container sets it, or unset it',
    ),
  )
})

test('an instance without a role is reported', async () => {
  await using bench = await startWorkbench()
  expect(await bench.run({ env: { AWS_REGION } })).toEqual(
    failure(5, 'the instance metadata service answered with HTTP 404', instance),
  )
})

test('an instance metadata service where nothing listens is reported at once', async () => {
  await using bench = await startWorkbench()
  expect(await bench.run({ env: { AWS_REGION, AWS_EC2_METADATA_SERVICE_ENDPOINT: nobody } })).toEqual(
    failure(6, 'the instance metadata service cannot be reached (ECONNREFUSED)', instance),
  )
})

test('an instance metadata service that does not answer is given up after two seconds', async () => {
  await using bench = await startWorkbench()
  const AWS_EC2_METADATA_SERVICE_ENDPOINT = `http://127.0.0.1:${await startMuteServer()}`
  expect(await bench.run({ env: { AWS_REGION, AWS_EC2_METADATA_SERVICE_ENDPOINT } })).toEqual(
    failure(
      6,
      'the instance metadata service cannot be reached (no answer within 2 s)',
      'in a container, let its answers pass: aws ec2 modify-instance-metadata-options --http-put-response-hop-limit 2 --instance-id ID',
    ),
  )
})
