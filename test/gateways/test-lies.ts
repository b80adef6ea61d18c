import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type ModelStandIn, startModel } from '../stand-ins/model/model.ts'
import type { GatewayProcess } from './gateway-process.ts'
import { everyLie, type Lie, type LyingVerifier, startLyingVerifier } from './lying-verifier.ts'
import { openDirectory } from './run-with-gateway.ts'
import { type GatewayOutcome, toOutcome } from './stage/outcome.ts'
import { bearer, unavailable } from './stage/scenario.ts'
import { sendRequest } from './stage/send.ts'

/** The settings with which a gateway asks a verifier. */
interface LieSettings {
  readonly directory: string
  readonly verifierSocket: string
  readonly modelPort: number
  readonly patienceSec: number
}

/**
 * Plays a verifier that is broken in every way: nothing passes, and each request gets an answer in time.
 * @param otherwise What this gateway cannot notice, as its page says.
 * @param told All of them, but for what a page says this gateway waits for.
 */
export function testLies(
  name: string,
  start: (settings: LieSettings) => Promise<GatewayProcess>,
  otherwise: Readonly<Partial<Record<Lie, GatewayOutcome>>> = {},
  told: readonly Lie[] = everyLie,
): void {
  describe(`${name} fails closed where the verifier`, () => {
    let verifier: LyingVerifier
    let model: ModelStandIn
    let gateway: GatewayProcess
    beforeAll(async () => {
      const directory = await openDirectory()
      const verifierSocket = join(directory, 'verifier.sock')
      verifier = await startLyingVerifier(verifierSocket)
      model = await startModel()
      gateway = await start({ directory, verifierSocket, modelPort: model.port, patienceSec: 1 })
      return async () => {
        await gateway.close()
        await verifier.close()
        await model[Symbol.asyncDispose]()
        await rm(directory, { recursive: true, force: true })
      }
    })
    test.each(told)('%s', async (lie) => {
      verifier.tell(lie)
      const answer = await sendRequest(gateway.url, { headers: [bearer('e.e.e')] })
      expect(toOutcome(answer, model.take())).toEqual(otherwise[lie] ?? unavailable('verifier-unavailable'))
    })
  })
}
