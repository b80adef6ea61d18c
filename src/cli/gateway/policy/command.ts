import type { Command } from 'commander'
import type { Cli } from '../../cli.ts'
import { addPolicyCheck } from './check.ts'
import { addPolicySchema } from './schema.ts'
import { addPolicyTry } from './try.ts'

/** `gatepass gateway policy …`: the file that says whom a verifier lets pass. */
export function addGatewayPolicy(gateway: Command, cli: Cli): void {
  const policy = gateway.command('policy').description('check the policy of a verifier, and try its rules')
  addPolicyCheck(policy, cli)
  addPolicyTry(policy, cli)
  addPolicySchema(policy, cli)
}
