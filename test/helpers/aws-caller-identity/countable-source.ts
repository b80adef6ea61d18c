import type { CountableSource } from '../../cache/countable-source.ts'
import { startSource as startRoleSource } from '../aws-bedrock-token/countable-source.ts'

/**
 * The same assumed role. A proof lives 15 minutes, whatever the credentials; as with an hour's token under an hour's ttl, no cached
 * one outlives this ttl, and none is too short for it.
 */
export async function startSource(): Promise<CountableSource> {
  const times = { lifeSec: 900, ttlSec: 840 }
  const settings = ['--profile', 'build', '--audience', 'gateway.example', '--client-ttl', String(times.ttlSec)]
  return { ...(await startRoleSource()), times, argv: (key = 0) => [...settings, '--header', `X-Key: ${key}`] }
}
