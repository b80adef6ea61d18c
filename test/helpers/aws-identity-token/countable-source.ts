import { onTestFinished } from 'vitest'
import type { CountableSource } from '../../cache/countable-source.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { startAwsStandIn } from '../../stand-ins/aws/aws-stand-in.ts'

/** Every mint asks AWS STS once, which gives tokens of an hour. */
export async function startSource(): Promise<CountableSource> {
  const home = await temporaryDirectory()
  const aws = await startAwsStandIn()
  onTestFinished(() => aws.close())
  const { accessKeyId, secretAccessKey } = aws.addAccessKey({ arn: 'arn:aws:iam::111122223333:user/dev' })
  const keys = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_REGION: 'eu-central-1' }
  const operation = 'GetWebIdentityToken'
  return {
    home,
    env: { HOME: home, ...keys, ...aws.environment },
    argv: (key = 0) => ['--audience', 'https://platform.example', '--header', `X-Key: ${key}`],
    // A request that was signed by a wrong clock is refused, and repeated by that of AWS.
    mints: () => aws.requests.filter(({ status }) => status === 200 || status === 'silence').length,
    hangOnce: () => aws.failNext(operation, { kind: 'silence' }),
    delay: (delayMs) => aws.failAlways(operation, { kind: 'slow', delayMs }),
    leadTo: (url) => ({ env: { AWS_ENDPOINT_URL_STS: url } }),
    asked: () => aws.requests.length,
    refuse: () => aws.failAlways(operation, { kind: 'error', code: 'AccessDenied', status: 403 }),
    refuseBriefly: () => aws.failAlways(operation, { kind: 'error', code: 'ServiceUnavailable', status: 503 }),
  }
}
