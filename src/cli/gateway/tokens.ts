import type { Command } from 'commander'
import { refuseUnreachable } from '../../gateway/credentials/access.ts'
import { attestationLifeSec, issueToken, revokeTokens } from '../../gateway/credentials/access-tokens.ts'
import type { Cli } from '../cli.ts'
import { revealKey } from './secrets.ts'
import { answerFromState, createStateOption, type StateFlags } from './state.ts'

interface IssueFlags extends StateFlags {
  readonly workspace: string
}

/** `gatepass gateway tokens …`: attestation tokens, whose exchange is not documented, and revocation. */
export function addGatewayTokens(gateway: Command, cli: Cli): void {
  const tokens = gateway.command('tokens').description('issue attestation tokens, and revoke access tokens')
  tokens
    .command('attest')
    .description('issue a token as a genuine installation gets it: for one hour, for messages only')
    .addOption(createStateOption())
    .requiredOption('--workspace <id>', 'the workspace that it is for')
    .action((flags: IssueFlags) =>
      answerFromState(cli, flags, (state) => {
        const workspaceId = flags.workspace
        refuseUnreachable(state, null, workspaceId)
        const secret = issueToken(state, {
          method: 'attestation',
          ownerId: null,
          workspaceId,
          lifeSec: attestationLifeSec,
        })
        return { ...revealKey({ id: workspaceId, secret }), expires_in: attestationLifeSec }
      }),
    )
  tokens
    .command('revoke')
    .description('revoke every access token that was issued so far, as after a leak')
    .addOption(createStateOption())
    .action((flags: StateFlags) => answerFromState(cli, flags, (state) => ({ revoked: revokeTokens(state) })))
}
