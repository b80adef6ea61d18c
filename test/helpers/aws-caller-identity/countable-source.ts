import type { CountableSource } from '../../cache/countable-source.ts'
import { startSource as startRoleSource } from '../aws-bedrock-token/countable-source.ts'

/** The same assumed role; a proof lives 15 minutes, whatever the credentials. */
export async function startSource(): Promise<CountableSource> {
  const ttlSec = 600
  const settings = ['--profile', 'build', '--audience', 'gateway.example', '--client-ttl', String(ttlSec)]
  return { ...(await startRoleSource()), ttlSec, argv: (key = 0) => [...settings, '--header', `X-Key: ${key}`] }
}
