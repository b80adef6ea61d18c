// Folder: `gatepass bootstrap`: checking, publishing and serving an organization's configuration documents.

import type { Command } from 'commander'
import type { AddCommand, Cli, ProgramCommand } from '../cli.ts'

/** `gatepass bootstrap …`: configuration documents by group, in waves. */
export const bootstrapCommand: ProgramCommand = {
  add: addBootstrap,
  examples: {
    bootstrap: [
      'gatepass bootstrap check rollout',
      'gatepass bootstrap explain rollout --subject u-1042 --claim groups=engineering',
      'gatepass bootstrap promote releases --wave 1 --signing-key release.key',
    ],
    'bootstrap check': [
      'gatepass bootstrap check rollout',
      'gatepass bootstrap check rollout --strict --json',
      'gatepass bootstrap check rollout \\\n  --release releases --public-key release.key.pub',
    ],
    'bootstrap explain': [
      'gatepass bootstrap explain rollout --subject u-1042 --claim groups=engineering',
      'gatepass bootstrap explain rollout --subject u-1042 --claim country=DE \\\n  --release releases --public-key release.key.pub',
    ],
    'bootstrap diff': [
      'gatepass bootstrap diff rollout \\\n  --release releases --public-key release.key.pub',
      'gatepass bootstrap diff rollout --json \\\n  --release releases --public-key release.key.pub',
    ],
    'bootstrap schema': ['gatepass bootstrap schema', 'gatepass bootstrap schema > rollout.schema.json'],
    'bootstrap keygen': [
      'gatepass bootstrap keygen --out release.key',
      'gatepass bootstrap keygen --out release.key --json',
    ],
    'bootstrap release': [
      'gatepass bootstrap release rollout --to releases --signing-key release.key',
      'gatepass bootstrap release rollout --to releases --signing-key env:RELEASE_KEY',
    ],
    'bootstrap promote': [
      'gatepass bootstrap promote releases --wave 1 --signing-key release.key',
      'gatepass bootstrap promote releases --wave 2 --resume \\\n  --signing-key release.key',
    ],
    'bootstrap halt': [
      'gatepass bootstrap halt releases --signing-key release.key',
      'gatepass bootstrap halt releases --signing-key env:RELEASE_KEY --json',
    ],
    'bootstrap revert': [
      'gatepass bootstrap revert releases --signing-key release.key',
      'gatepass bootstrap revert releases --signing-key env:RELEASE_KEY --json',
    ],
    'bootstrap simulate': [
      'gatepass bootstrap simulate --scenario bad-release --desktops 500',
      'gatepass bootstrap simulate --desktops 500 --html day.html',
    ],
    'bootstrap serve': [
      'gatepass bootstrap serve --policy policy.json --release releases \\\n  --public-key release.key.pub --audit audit.log',
      'gatepass bootstrap serve --policy policy.json --release releases \\\n  --public-key release.key.pub --secret gateway-key=gateway-key.txt',
    ],
  },
}

async function addBootstrap(program: Command, cli: Cli): Promise<void> {
  const bootstrap = program
    .command('bootstrap')
    .description('give each group of people its configuration document, in waves: check, publish and take back')
  const [first, second = ''] = cli.host.argv
  const called =
    first === 'bootstrap' && Object.hasOwn(commands, second) ? [commands[second]!] : Object.values(commands)
  for (const load of called) await (await load())(bootstrap, cli)
}

/** Every subcommand, in the order of the help. Each is loaded when it is called, or when all are listed. */
const commands: Readonly<Record<string, () => Promise<AddCommand>>> = {
  check: async () => (await import('./check.ts')).addBootstrapCheck,
  explain: async () => (await import('./explain-person.ts')).addBootstrapExplain,
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
