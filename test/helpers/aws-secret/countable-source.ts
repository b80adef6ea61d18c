import { startAwsSource } from '../../cache/aws-source.ts'
import type { CountableSource } from '../../cache/countable-source.ts'

/** Starts a secret whose value is another one at each reading, and says that it ends in an hour. */
export async function startSource(): Promise<CountableSource> {
  const { aws, source } = await startAwsSource('GetSecretValue', { code: 'AccessDeniedException', status: 400 })
  let readings = 0
  aws.putSecret('ai/key', () => {
    readings += 1
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
    return JSON.stringify({ token: `made-up-token-${readings}`, expiresAt })
  })
  return {
    ...source,
    argv: (key = 0) => ['--secret', 'ai/key', '--header', `X-Key: ${key}`],
    leadTo: (url) => ({ env: { AWS_ENDPOINT_URL_SECRETS_MANAGER: url } }),
  }
}
