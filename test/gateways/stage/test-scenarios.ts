import { beforeAll, describe, expect, test } from 'vitest'
import { askDoctor } from './ask-doctor.ts'
import { type GatewayOutcome, toOutcome } from './outcome.ts'
import { scenarios } from './scenarios.ts'
import { type ClientRequest, sendRequest } from './send.ts'
import { type Stage, startStage } from './stage.ts'

/** A gateway that runs between the client and the model of a stage. */
export interface RunningGateway {
  readonly url: string
  close(): Promise<void>
}

interface ScenarioSettings<G extends RunningGateway> {
  /** The differences of this gateway, by the title of the scenario, as its page says. */
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
    const send = async (request: ClientRequest) => {
      stage.model.take()
      const answer = await sendRequest(gateway.url, request)
      return { answer, outcome: toOutcome(answer, stage.model.take()) }
    }
    const sendAndAsk = async (request: ClientRequest) => {
      const { answer, outcome } = await send(request)
      return outcome.status < 400 ? outcome : { ...outcome, told: await askDoctor(stage, request, answer) }
    }
    const named = scenarios.map((each) => ({
      ...each,
      name: otherwise[each.title] ? `differs in "${each.title}"` : each.title,
    }))
    test.each(named)('$name', async ({ title, play, expected }) => {
      const outcome = await play({ stage, url: gateway.url, send: sendAndAsk })
      expect(outcome).toEqual(otherwise[title] ?? expected)
    })
    test('every expected difference belongs to a scenario of the table', () => {
      expect(Object.keys(otherwise).filter((title) => !scenarios.some((scenario) => scenario.title === title))).toEqual(
        [],
      )
    })
    further(() => ({ stage, gateway, send: async (request) => (await send(request)).outcome }))
  })
}
