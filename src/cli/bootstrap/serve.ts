import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { createServeOptions, type ServeFlags } from './serve-options.ts'

/** Adds `gatepass bootstrap serve`: serves until it is interrupted. */
export function addBootstrapServe(bootstrap: Command, cli: Cli): void {
  const command = bootstrap
    .command('serve')
    .description('give each person the configuration of a release, by the policy of the verifier')
  for (const option of createServeOptions()) command.addOption(option)
  command
    .addHelpText(
      'after',
      `
It answers GET with 200 and the document of whoever the token stands for, 304, 401, 403, or 503 with Retry-After. Release, policy and secrets are read again when they change; SIGHUP reads them at once and opens the audit again; SIGTERM ends it when requests in flight are answered. All of it: docs/configuration-server.md`,
    )
    .action(async (flags: ServeFlags) => {
      const { runServe } = await import('./run-serve.ts') // other commands need no server
      await runServe(cli, flags)
    })
}
