import { beforeAll, describe, expect, test } from 'vitest'
import { parseVerifierRefusal } from '../../../src/client/doctor/answer/verifier/parse-verifier-refusal.ts'
import { refusalReasons } from '../../../src/contract/refusal-reasons.ts'
import type { GatewayOutcome } from './outcome.ts'
import { toOutcome } from './outcome.ts'
import { scenarios } from './scenarios.ts'
import { type ClientAnswer, type ClientRequest, sendRequest } from './send.ts'
import { type Stage, startStage } from './stage.ts'

/** A gateway that runs between the client and the model of a stage. */
export interface RunningGateway {
  readonly url: string
  close(): Promise<void>
}

interface ScenarioSettings<G extends RunningGateway> {
  /** What this gateway does differently, by the title of the scenario, as its page says. */
  readonly otherwise?: Readonly<Record<string, GatewayOutcome>>
  /** Defines tests of this gateway only, which have the same stage. */
  readonly further?: (played: () => Played<G>) => void
}

/** A gateway with its stage, while the tests run. */
export interface Played<G extends RunningGateway> {
  readonly stage: Stage
  readonly gateway: G
  /** Sends a request, and gives the whole outcome. */
  send(request: ClientRequest): Promise<GatewayOutcome>
}

/** Plays every scenario through a gateway, each as a test of its own, in order. */
export function testScenarios<G extends RunningGateway>(
  name: string,
  startGateway: (stage: Stage) => Promise<G>,
  { otherwise = {}, further = () => {} }: ScenarioSettings<G> = {},
): void {
  describe(name, () => {
    let stage: Stage
    let gateway: G
    beforeAll(async () => {
      stage = await startStage()
      gateway = await startGateway(stage)
      return async () => {
        await gateway.close()
        await stage.close()
      }
    })
    let last: ClientAnswer
    const send = async (request: ClientRequest) => {
      stage.model.take()
      last = await sendRequest(gateway.url, request)
      return toOutcome(last, stage.model.take())
    }
    test.each(scenarios)('$title', async ({ title, play, expected }) => {
      const outcome = await play({ stage, url: gateway.url, send })
      expect(outcome).toEqual(otherwise[title] ?? expected)
      const { reason } = outcome.error ?? {}
      if (reason !== undefined && Object.hasOwn(refusalReasons, reason)) expect(findExplained(last)).toBe(reason)
    })
    test('what is expected otherwise is of the table', () => {
      expect(Object.keys(otherwise).filter((title) => !scenarios.some((scenario) => scenario.title === title))).toEqual(
        [],
      )
    })
    further(() => ({ stage, gateway, send }))
  })
}

/** The reason that `gatepass doctor` reads out of an answer: it has an explanation of each. */
function findExplained({ status, headers, body }: ClientAnswer): string | undefined {
  const lines = Object.entries(headers).flatMap(([name, value]) => [value ?? []].flat().map((text) => [name, text]))
  const answer = { status, text: body, isMessage: false, headers: new Headers(lines as [string, string][]) }
  return parseVerifierRefusal(answer)?.reason
}
