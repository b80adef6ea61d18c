import { Argument, type Command } from 'commander'
import {
  createIdentity,
  type Identity,
  listIdentities,
  removeIdentity,
  restoreIdentity,
} from '../../gateway/credentials/identities.ts'
import type { Cli } from '../cli.ts'
import { answerFromState, type StateFlags, stateOption } from './state.ts'

const moves = [
  ['remove', 'take a user out of the organization, or archive a service account', removeIdentity],
  ['restore', 'invite a user again; the keys of before stay archived', restoreIdentity],
] as const

/** `gatepass gateway identities …`: whom keys and tokens act as. */
export function addGatewayIdentities(gateway: Command, cli: Cli): void {
  const identities = gateway.command('identities').description('make and remove users and service accounts')
  identities
    .command('list')
    .description('every user and service account')
    .addOption(stateOption())
    .action((flags: StateFlags) => answerFromState(cli, flags, listIdentities))
  identities
    .command('create')
    .description('make one')
    .addArgument(new Argument('<kind>', 'what it is').choices(['user', 'service_account']))
    .argument('<name>', 'what people call it')
    .addOption(stateOption())
    .action((kind: Identity['kind'], name: string, flags: StateFlags) =>
      answerFromState(cli, flags, (state) => createIdentity(state, kind, name)),
    )
  for (const [name, description, move] of moves) {
    identities
      .command(name)
      .description(description)
      .argument('<id>', 'the user or service account')
      .addOption(stateOption())
      .action((id: string, flags: StateFlags) => answerFromState(cli, flags, (state) => move(state, id)))
  }
}
