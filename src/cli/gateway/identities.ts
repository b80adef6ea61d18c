import { Argument, type Command } from 'commander'
import {
  createIdentity,
  type Identity,
  listIdentities,
  removeIdentity,
  restoreIdentity,
} from '../../gateway/credentials/identities.ts'
import type { Cli } from '../cli.ts'
import { answerFromState, createStateOption, type StateFlags } from './state.ts'

const changes = [
  ['remove', 'take a user out of the organization, or archive a service account', removeIdentity],
  ['restore', 'invite a user again; earlier keys stay archived', restoreIdentity],
] as const

/** `gatepass gateway identities …`: users and service accounts that keys and tokens act as. */
export function addGatewayIdentities(gateway: Command, cli: Cli): void {
  const identities = gateway.command('identities').description('create and remove users and service accounts')
  identities
    .command('list')
    .description('every user and service account')
    .addOption(createStateOption())
    .action((flags: StateFlags) => answerFromState(cli, flags, listIdentities))
  identities
    .command('create')
    .description('create one')
    .addArgument(new Argument('<kind>', 'what it is').choices(['user', 'service_account']))
    .argument('<name>', 'a name for people')
    .addOption(createStateOption())
    .action((kind: Identity['kind'], name: string, flags: StateFlags) =>
      answerFromState(cli, flags, (state) => createIdentity(state, kind, name)),
    )
  for (const [name, description, change] of changes) {
    identities
      .command(name)
      .description(description)
      .argument('<id>', 'the user or service account')
      .addOption(createStateOption())
      .action((id: string, flags: StateFlags) => answerFromState(cli, flags, (state) => change(state, id)))
  }
}
