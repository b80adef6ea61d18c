import { startAwsSource } from '../../cache/aws-source.ts'
import type { CountableSource } from '../../cache/countable-source.ts'
import { writeAwsDirectory } from '../../stand-ins/aws/aws-directory.ts'

/** Assuming a role is asked of AWS in every mint, and gives credentials of an hour. */
export async function startSource(): Promise<CountableSource> {
  const role = 'arn:aws:iam::444455556666:role/build'
  const { aws, user, keys, source } = await startAwsSource('AssumeRole')
  aws.addRole({ arn: role, trusts: [user] })
  const { environment } = await writeAwsDirectory(source.home, {
    config: { 'profile build': { role_arn: role, source_profile: 'dev', region: keys.AWS_REGION } },
    credentials: {
      dev: { aws_access_key_id: keys.AWS_ACCESS_KEY_ID, aws_secret_access_key: keys.AWS_SECRET_ACCESS_KEY },
    },
  })
  return {
    ...source,
    env: { ...environment, ...aws.environment },
    argv: (key = 0) => ['--profile', 'build', '--lifetime', '3600', '--header', `X-Key: ${key}`],
    leadTo: (url) => ({ env: { AWS_ENDPOINT_URL_STS: url } }),
  }
}
