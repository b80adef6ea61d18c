import type { Command } from 'commander'
import { seedPlatform } from '../../gateway/seed.ts'
import type { Cli } from '../cli.ts'
import { revealSeed } from './secrets.ts'
import { answerFromState, type StateFlags, stateOption } from './state.ts'

/** `gatepass gateway seed`: one of everything that has no public way to come into being. */
export function addGatewaySeed(gateway: Command, cli: Cli): void {
  gateway
    .command('seed')
    .description('make a workspace, identities, keys, a token and a session, and print their ids and secrets once')
    .addOption(stateOption())
    .action((flags: StateFlags) => answerFromState(cli, flags, (state) => revealSeed(seedPlatform(state))))
}
