import { onTestFinished } from 'vitest'
import type { CountableSource } from '../../cache/countable-source.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { writeAwsDirectory } from '../../stand-ins/aws/aws-directory.ts'
import { startAwsStandIn } from '../../stand-ins/aws/aws-stand-in.ts'

/** Assuming a role is asked of AWS in every mint, and gives credentials of an hour. */
export async function startSource(): Promise<CountableSource> {
  const user = 'arn:aws:iam::111122223333:user/dev'
  const role = 'arn:aws:iam::444455556666:role/build'
  const region = 'eu-central-1'
  const home = await temporaryDirectory()
  const aws = await startAwsStandIn()
  onTestFinished(() => aws.close())
  aws.addRole({ arn: role, trusts: [user] })
  const { accessKeyId, secretAccessKey } = aws.addAccessKey({ arn: user })
  const { environment } = await writeAwsDirectory(home, {
    config: { 'profile build': { role_arn: role, source_profile: 'dev', region } },
    credentials: { dev: { aws_access_key_id: accessKeyId, aws_secret_access_key: secretAccessKey } },
  })
  const silence = { kind: 'silence' } as const
  return {
    home,
    env: { ...environment, ...aws.environment },
    argv: (key = 0) => ['--profile', 'build', '--lifetime', '3600', '--header', `X-Key: ${key}`],
    // A request that was signed by a wrong clock is refused, and repeated by that of AWS.
    mints: () => aws.requests.filter(({ status }) => status === 200 || status === 'silence').length,
    hangOnce: () => aws.failNext('AssumeRole', silence),
    delay: (delayMs) => aws.failAlways('AssumeRole', { kind: 'slow', delayMs }),
    leadTo: (url) => ({ env: { AWS_ENDPOINT_URL_STS: url } }),
    asked: () => aws.requests.length,
    refuse: () => aws.failAlways('AssumeRole', { kind: 'error', code: 'AccessDenied', status: 403 }),
    refuseBriefly: () => aws.failAlways('AssumeRole', { kind: 'error', code: 'ServiceUnavailable', status: 503 }),
  }
}
