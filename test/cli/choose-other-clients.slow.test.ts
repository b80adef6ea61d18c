import { expect, test } from 'vitest'
import { chooseHelper, renderChoice } from '../../src/cli/choose-helper.ts'
import { choices, type GatewayKind, type PeopleKind } from '../../src/cli/helper-choices.ts'
import { clientNames, clients } from '../../src/contract/clients.ts'
import { createTestCli, runHere } from './run-here.ts'

const gatewayKinds = Object.keys(choices) as GatewayKind[] // the keys of a constant
const peopleKinds = Object.keys(choices.key) as PeopleKind[] // the same
const situations = gatewayKinds.flatMap((gateway) =>
  peopleKinds.flatMap((people) => clientNames.map((client) => ({ gateway, people, client }))),
)

test.each(situations.filter(({ client }) => client !== 'desktop'))(
  '$gateway, $people and $client lead to a command that writes a configuration, or to a reason',
  async (situation) => {
    const { cli } = await createTestCli([])
    const choice = chooseHelper(situation, cli.helpers)
    if ('reason' in choice) {
      expect(renderChoice(choice)).toMatch(/^Nothing fits: .+\.\nInstead: .+\.\n$/)
      return
    }
    const { client } = situation
    expect(choice.command).toContain(`gatepass config init --client ${client} --helper ${choice.helper} `)
    // A script would be written for a client that takes a path alone.
    if (clients[client].start === 'path') return
    const args = choice.args.map((arg) => `--arg=${arg}`)
    const init = ['config', 'init', '--client', client, '--helper', choice.helper]
    expect(await runHere([...init, '--base-url', 'https://gateway.example.com', ...args])).toMatchObject({ status: 0 })
  },
)
