import type { Command } from 'commander'
import type { Cli } from '../../cli.ts'
import { createVerifierOptions, type VerifierFlags } from './flags.ts'

/** `gatepass gateway verifier`: serves until it is interrupted. */
export function addGatewayVerifier(gateway: Command, cli: Cli): void {
  const command = gateway
    .command('verifier')
    .description('verify tokens for a gateway: nginx auth_request, Envoy ext_authz, Traefik forwardAuth, introspection')
  for (const option of createVerifierOptions()) command.addOption(option)
  command
    .addHelpText(
      'after',
      `
It answers 200 with the headers of the policy, 401, 403 or 503; every path of --listen alike. The policy is read again when it changes, and on SIGHUP; SIGTERM ends it when requests in flight are answered. All of it: docs/gateways/verifier.md`,
    )
    .action(async (flags: VerifierFlags) => {
      const { runVerifier } = await import('./run-verifier.ts') // other commands need no server
      await runVerifier(cli, flags)
    })
}
