import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { addGatewayFederation } from './federation.ts'
import { addGatewayIdentities } from './identities.ts'
import { addGatewayKeys } from './keys.ts'
import { addGatewayPolicy } from './policy/command.ts'
import { addGatewaySeed } from './seed.ts'
import { addGatewayStart } from './start.ts'
import { addGatewayTokens } from './tokens.ts'
import { addGatewayVerifier } from './verifier/command.ts'
import { addGatewayWorkspaces } from './workspaces.ts'

/** `gatepass gateway …`: a stand-in for the platform with its console; and, for a gateway of one's own, the verifier. */
export function addGateway(program: Command, cli: Cli): void {
  const gateway = program
    .command('gateway')
    .description(
      'a stand-in for the platform on this machine, to try, test and teach with; and a verifier for your own gateway',
    )
  addGatewayStart(gateway, cli)
  addGatewaySeed(gateway, cli)
  addGatewayKeys(gateway, cli)
  addGatewayTokens(gateway, cli)
  addGatewayWorkspaces(gateway, cli)
  addGatewayIdentities(gateway, cli)
  addGatewayFederation(gateway, cli)
  addGatewayVerifier(gateway, cli)
  addGatewayPolicy(gateway, cli)
}
