import { type Command, Option } from 'commander'
import { listWarnings } from '../../contract/api-keys.ts'
import {
  type ApiKey,
  changeKey,
  findMaximumLife,
  listKeys,
  writeMaximumLife,
} from '../../gateway/credentials/api-keys.ts'
import { createKey } from '../../gateway/credentials/create-key.ts'
import {
  detectKeyState,
  expirationPresets,
  type KeyKind,
  keyKinds,
  parseExpiration,
} from '../../gateway/credentials/key-life.ts'
import { toKeyRecord } from '../../gateway/operations/records.ts'
import type { Seed, SeededKey } from '../../gateway/seed-platform.ts'
import type { State } from '../../gateway/store/state.ts'
import type { Cli } from '../cli.ts'
import { answerFromState, createStateOption, type StateFlags } from './console-state.ts'

/** Adds `gatepass gateway keys …`: the console's actions on keys. */
export function addGatewayKeys(gateway: Command, cli: Cli): void {
  const keys = gateway.command('keys').description('create keys and change their state')
  addList(keys, cli)
  addCreate(keys, cli)
  addChanges(keys, cli)
  addMaximum(keys, cli)
}

function addList(keys: Command, cli: Cli): void {
  keys
    .command('list')
    .description('every key, deleted ones included, with its state and its warning dates')
    .addOption(createStateOption())
    .action((flags: StateFlags) =>
      answerFromState(cli, flags, (state) => listKeys(state).map((key) => toKeyWithState(state, key))),
    )
}

function addCreate(keys: Command, cli: Cli): void {
  keys
    .command('create')
    .description('create a key and print its secret once')
    .addOption(createStateOption())
    .addOption(new Option('--type <type>', 'what it acts as').choices(keyKinds).makeOptionMandatory())
    .option('--name <name>', 'a name for people', 'unnamed')
    .option('--owner <id>', 'the user or service account that it acts as')
    .option('--workspace <id>', 'the one workspace that it is for')
    .option('--expires <life>', `${Object.keys(expirationPresets).join(', ')}, never, or such as 45d`, 'never')
    .action((flags: CreateFlags) => answerFromState(cli, flags, (state) => create(state, flags)))
}

interface CreateFlags extends StateFlags {
  readonly type: KeyKind
  readonly name: string
  readonly owner?: string
  readonly workspace?: string
  readonly expires: string
}

const changes = [
  ['disable', 'stop a key, until it is enabled again'],
  ['enable', 'let a disabled key work again'],
  ['delete', 'archive a key; it cannot be enabled again'],
] as const

function addChanges(keys: Command, cli: Cli): void {
  for (const [trigger, description] of changes) {
    keys
      .command(trigger)
      .description(description)
      .argument('<id>', 'the key')
      .addOption(createStateOption())
      .action((id: string, flags: StateFlags) =>
        answerFromState(cli, flags, (state) => toKeyWithState(state, changeKey(state, id, trigger))),
      )
  }
}

function addMaximum(keys: Command, cli: Cli): void {
  keys
    .command('maximum')
    .description('limit the life of keys that are created from now on; without an argument, print the limit')
    .argument('[life]', `such as 30d; never for no limit`)
    .addOption(createStateOption())
    .action((life: string | undefined, flags: StateFlags) =>
      answerFromState(cli, flags, (state) => {
        if (life !== undefined) writeMaximumLife(state, parseExpiration(life))
        return { maximum_life_sec: findMaximumLife(state) ?? null }
      }),
    )
}

function create(state: State, { type: kind, name, owner: ownerId, workspace: workspaceId, expires }: CreateFlags) {
  const { key, secret } = createKey(state, { kind, name, ownerId, workspaceId, expiration: parseExpiration(expires) })
  return { ...toKeyWithState(state, key), ...revealKey({ id: key.id, secret }) }
}

function toKeyWithState(state: State, key: ApiKey) {
  const warnings = listWarnings(key.createdAt, key.expiresAt).map((at) => new Date(at).toISOString())
  return { ...toKeyRecord(key), state: detectKeyState(key, state.now()), warnings }
}

/** Reveals a seed for printing, with its secrets, which are shown only once. */
export function revealSeed({ keys, attestationToken, ...rest }: Seed) {
  const { personal, unscoped, serviceAccount, workspace, administrative } = keys
  return {
    ...rest,
    keys: {
      personal: revealKey(personal),
      unscoped: revealKey(unscoped),
      serviceAccount: revealKey(serviceAccount),
      workspace: revealKey(workspace),
      administrative: revealKey(administrative),
    },
    attestationToken: attestationToken.reveal(),
  }
}

/** Reveals a new key for printing, with its secret, which is shown only once. */
export function revealKey({ id, secret }: SeededKey) {
  return { id, secret: secret.reveal() }
}
