import { onTestFinished } from 'vitest'
import { startGateway } from '../../../src/gateway/start-gateway.ts'

/** Starts the real gateway, which accepts these tokens and no others. */
export async function startStrictGateway(...tokens: string[]) {
  return startTestGateway((token) => (tokens.includes(token) ? { ok: true } : { ok: false, reason: 'unknown' }))
}

/** Starts the real gateway, closed when the test is over. */
export async function startTestGateway(verify: Parameters<typeof startGateway>[0]['verify'] = 'off') {
  const gateway = await startGateway({ verify })
  onTestFinished(() => gateway.close())
  return gateway
}
