import { onTestFinished } from 'vitest'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import type { AwsOperationName } from '../stand-ins/aws/aws-operation.ts'
import { startAwsStandIn } from '../stand-ins/aws/aws-stand-in.ts'

/**
 * Starts AWS with a user for a source whose every mint asks for one operation; gives the access key, and what the source does.
 * @param denial The error of that operation for who may not call it.
 */
export async function startAwsSource(operation: AwsOperationName, denial = { code: 'AccessDenied', status: 403 }) {
  const home = await temporaryDirectory()
  const aws = await startAwsStandIn()
  onTestFinished(() => aws.close())
  const user = 'arn:aws:iam::111122223333:user/dev'
  const { accessKeyId, secretAccessKey } = aws.addAccessKey({ arn: user })
  const keys = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_REGION: 'eu-central-1' }
  return {
    aws,
    user,
    keys,
    source: {
      home,
      env: { HOME: home, ...keys, ...aws.environment },
      // A request that was signed by a wrong clock is refused, and repeated by that of AWS.
      mints: () => aws.requests.filter(({ status }) => status === 200 || status === 'silence').length,
      hangOnce: () => aws.failNext(operation, { kind: 'silence' }),
      delay: (delayMs: number) => aws.failAlways(operation, { kind: 'slow', delayMs }),
      asked: () => aws.requests.length,
      refuse: () => aws.failAlways(operation, { kind: 'error', ...denial }),
      refuseBriefly: () => aws.failAlways(operation, { kind: 'error', code: 'ServiceUnavailable', status: 503 }),
    },
  }
}
