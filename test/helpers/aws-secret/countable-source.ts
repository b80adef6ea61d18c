import { onTestFinished } from 'vitest'
import type { CountableSource } from '../../cache/countable-source.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { startAwsStandIn } from '../../stand-ins/aws/aws-stand-in.ts'

/** Starts a secret whose value is another one at each reading, and says that it ends in an hour. */
export async function startSource(): Promise<CountableSource> {
  const home = await temporaryDirectory()
  const aws = await startAwsStandIn()
  onTestFinished(() => aws.close())
  const { accessKeyId, secretAccessKey } = aws.addAccessKey({ arn: 'arn:aws:iam::111122223333:user/dev' })
  const keys = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_REGION: 'eu-central-1' }
  const operation = 'GetSecretValue'
  let readings = 0
  aws.putSecret('ai/key', () => {
    readings += 1
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
    return JSON.stringify({ token: `made-up-token-${readings}`, expiresAt })
  })
  return {
    home,
    env: { HOME: home, ...keys, ...aws.environment },
    argv: (key = 0) => ['--secret', 'ai/key', '--header', `X-Key: ${key}`],
    // A request that was signed by a wrong clock is refused, and repeated by that of AWS.
    mints: () => aws.requests.filter(({ status }) => status === 200 || status === 'silence').length,
    hangOnce: () => aws.failNext(operation, { kind: 'silence' }),
    delay: (delayMs) => aws.failAlways(operation, { kind: 'slow', delayMs }),
    leadTo: (url) => ({ env: { AWS_ENDPOINT_URL_SECRETS_MANAGER: url } }),
    asked: () => aws.requests.length,
    refuse: () => aws.failAlways(operation, { kind: 'error', code: 'AccessDeniedException', status: 400 }),
    refuseBriefly: () => aws.failAlways(operation, { kind: 'error', code: 'ServiceUnavailable', status: 503 }),
  }
}
