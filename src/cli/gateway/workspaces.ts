import type { Command } from 'commander'
import { addMember, removeMember, resolveIdentity } from '../../gateway/credentials/identities.ts'
import { renderWorkspace } from '../../gateway/operations/render-records.ts'
import { archiveWorkspace, createWorkspace, listWorkspaces } from '../../gateway/store/workspaces.ts'
import type { Cli } from '../cli.ts'
import { answerFromState, createStateOption, type StateFlags } from './state.ts'

const memberships = [
  ['add', 'give somebody access to a workspace', addMember],
  ['remove', 'take access to a workspace from somebody', removeMember],
] as const

/** `gatepass gateway workspaces …`: workspaces and who has access to them. */
export function addGatewayWorkspaces(gateway: Command, cli: Cli): void {
  const workspaces = gateway.command('workspaces').description('create and archive workspaces, and say who has access')
  workspaces
    .command('list')
    .description('every workspace, the default one included')
    .addOption(createStateOption())
    .action((flags: StateFlags) =>
      answerFromState(cli, flags, (state) => listWorkspaces(state, { scope: 'all' }).map(renderWorkspace)),
    )
  workspaces
    .command('create')
    .description('create a workspace')
    .argument('<name>', 'a name for people')
    .addOption(createStateOption())
    .action((name: string, flags: StateFlags) =>
      answerFromState(cli, flags, (state) => renderWorkspace(createWorkspace(state, name))),
    )
  workspaces
    .command('archive')
    .description('archive a workspace; its keys stop working')
    .argument('<id>', 'the workspace')
    .addOption(createStateOption())
    .action((id: string, flags: StateFlags) =>
      answerFromState(cli, flags, (state) => renderWorkspace(archiveWorkspace(state, id))),
    )
  for (const [name, description, change] of memberships) {
    workspaces
      .command(name)
      .description(description)
      .argument('<workspace>', 'the workspace')
      .argument('<identity>', 'the user or service account')
      .addOption(createStateOption())
      .action((workspace: string, identity: string, flags: StateFlags) =>
        answerFromState(cli, flags, (state) => {
          change(state, identity, workspace)
          return resolveIdentity(state, identity)
        }),
      )
  }
}
