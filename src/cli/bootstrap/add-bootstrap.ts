// Folder: `gatepass bootstrap`: what an organization writes, checks, publishes and serves as configuration documents.

import type { Command } from 'commander'
import type { AddCommand, Cli } from '../cli.ts'

/** `gatepass bootstrap …`: configuration documents by group, in waves. */
export async function addBootstrap(program: Command, cli: Cli): Promise<void> {
  const bootstrap = program
    .command('bootstrap')
    .description('give each group of people its configuration document, in waves: check, publish and take back')
  const [first, second = ''] = cli.host.argv
  const called =
    first === 'bootstrap' && Object.hasOwn(commands, second) ? [commands[second]!] : Object.values(commands)
  for (const load of called) await (await load())(bootstrap, cli)
}

/** Every subcommand, in the order of the help; loaded when it is called, or when all are listed. */
const commands: Readonly<Record<string, () => Promise<AddCommand>>> = {
  check: async () => (await import('./check.ts')).addBootstrapCheck,
  explain: async () => (await import('./explain.ts')).addBootstrapExplain,
  diff: async () => (await import('./diff.ts')).addBootstrapDiff,
  schema: async () => (await import('./check.ts')).addBootstrapSchema,
  keygen: async () => (await import('./keys.ts')).addBootstrapKeygen,
  release: async () => (await import('./publish.ts')).addBootstrapRelease,
  promote: async () => (await import('./publish.ts')).addBootstrapPromote,
  halt: async () => (await import('./publish.ts')).addBootstrapHalt,
  revert: async () => (await import('./publish.ts')).addBootstrapRevert,
  simulate: async () => (await import('./simulate.ts')).addBootstrapSimulate,
  serve: async () => (await import('./serve.ts')).addBootstrapServe,
}
