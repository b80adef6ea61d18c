import type { Command } from 'commander'
import { seedPlatform } from '../../gateway/seed.ts'
import type { Cli } from '../cli.ts'
import { revealSeed } from './secrets.ts'
import { answerFromState, createStateOption, type StateFlags } from './state.ts'

/** `gatepass gateway seed`: creates one of everything that the API cannot create. */
export function addGatewaySeed(gateway: Command, cli: Cli): void {
  gateway
    .command('seed')
    .description('create a workspace, identities, keys, a token and a session, and print their IDs and secrets once')
    .addOption(createStateOption())
    .action((flags: StateFlags) => answerFromState(cli, flags, (state) => revealSeed(seedPlatform(state))))
}
