// Folder: `gatepass gateway`: the stand-in for the platform, its console, and the commands of the verifier.

import { rm, writeFile } from 'node:fs/promises'
import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import { attestationLifeSec, issueToken, revokeTokens } from '../../gateway/credentials/access-tokens.ts'
import {
  addMember,
  createIdentity,
  listIdentities,
  type PlatformIdentity,
  refuseUnreachable,
  removeIdentity,
  removeMember,
  requireIdentity,
  restoreIdentity,
} from '../../gateway/credentials/platform-identities.ts'
import { toWorkspaceRecord } from '../../gateway/operations/records.ts'
import { seedPlatform } from '../../gateway/seed-platform.ts'
import type { StandInCaller } from '../../gateway/start-sts.ts'
import { archiveWorkspace, createWorkspace, listWorkspaces } from '../../gateway/store/workspaces.ts'
import { HelperError, toOneLine } from '../../runtime/failure.ts'
import { usualPorts } from '../../verify/server/listen-address.ts'
import { programName } from '../../version.ts'
import type { Cli, ProgramCommand } from '../cli.ts'
import { createPortOption } from '../option-values.ts'
import { waitForSignal } from '../terminal.ts'
import { answerFromState, createStateOption, type StateFlags } from './console-state.ts'
import { gatewayExamples } from './examples.ts'
import { addGatewayFederation } from './federation.ts'
import { addGatewayHealth } from './health.ts'
import { addGatewayKeys, revealKey, revealSeed } from './keys.ts'
import { addGatewayPolicy } from './policy/add-policy.ts'
import { addGatewayRevoke } from './revoke.ts'
import { addGatewayStart } from './start.ts'
import { addGatewayVerifier } from './verifier/add-verifier.ts'

/** `gatepass gateway …`: a stand-in for the platform with its console; for a real gateway, the verifier. */
export const gatewayCommand: ProgramCommand = {
  add: addGateway,
  examples: gatewayExamples,
}

function addGateway(program: Command, cli: Cli): void {
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
  addGatewaySts(gateway, cli)
  addGatewayPolicy(gateway, cli)
  addGatewayRevoke(gateway, cli)
  addGatewayHealth(gateway, cli)
}

const changes = [
  ['remove', 'take a user out of the organization, or archive a service account', removeIdentity],
  ['restore', 'invite a user again; earlier keys stay archived', restoreIdentity],
] as const

/** Adds `gatepass gateway seed`: creates one of everything that the API cannot create. */
function addGatewaySeed(gateway: Command, cli: Cli): void {
  gateway
    .command('seed')
    .description('create a workspace, identities, keys, a token and a session, and print their IDs and secrets once')
    .addOption(createStateOption())
    .action((flags: StateFlags) => answerFromState(cli, flags, (state) => revealSeed(seedPlatform(state))))
}

interface StsFlags {
  readonly caller: readonly string[]
  readonly credentials: string
  readonly port: number
}

/** Adds `gatepass gateway tokens …`: attestation tokens, whose exchange is not documented, and revocation. */
function addGatewayTokens(gateway: Command, cli: Cli): void {
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

const memberships = [
  ['add', 'give somebody access to a workspace', addMember],
  ['remove', 'take access to a workspace from somebody', removeMember],
] as const

/** Adds `gatepass gateway workspaces …`: workspaces and their members. */
function addGatewayWorkspaces(gateway: Command, cli: Cli): void {
  const workspaces = gateway.command('workspaces').description('create and archive workspaces, and say who has access')
  workspaces
    .command('list')
    .description('every workspace, the default one included')
    .addOption(createStateOption())
    .action((flags: StateFlags) =>
      answerFromState(cli, flags, (state) => listWorkspaces(state, { scope: 'all' }).map(toWorkspaceRecord)),
    )
  workspaces
    .command('create')
    .description('create a workspace')
    .argument('<name>', 'a name for people')
    .addOption(createStateOption())
    .action((name: string, flags: StateFlags) =>
      answerFromState(cli, flags, (state) => toWorkspaceRecord(createWorkspace(state, name))),
    )
  workspaces
    .command('archive')
    .description('archive a workspace; its keys stop working')
    .argument('<id>', 'the workspace')
    .addOption(createStateOption())
    .action((id: string, flags: StateFlags) =>
      answerFromState(cli, flags, (state) => toWorkspaceRecord(archiveWorkspace(state, id))),
    )
  for (const [name, description, change] of memberships) {
    workspaces
      .command(name)
      .description(description)
      .argument('<workspace>', 'the workspace')
      .argument('<identity>', 'the user or service account')
      .addOption(createStateOption())
      .action((workspace: string, identity: string, flags: StateFlags) =>
        answerFromState(cli, flags, (state) => {
          change(state, identity, workspace)
          return requireIdentity(state, identity)
        }),
      )
  }
}

/** Adds `gatepass gateway identities …`: the users and service accounts of keys and tokens. */
function addGatewayIdentities(gateway: Command, cli: Cli): void {
  const identities = gateway.command('identities').description('create and remove users and service accounts')
  identities
    .command('list')
    .description('every user and service account')
    .addOption(createStateOption())
    .action((flags: StateFlags) => answerFromState(cli, flags, listIdentities))
  identities
    .command('create')
    .description('create a user or a service account')
    .addArgument(new Argument('<kind>', 'what it is').choices(['user', 'service_account']))
    .argument('<name>', 'a name for people')
    .addOption(createStateOption())
    .action((kind: PlatformIdentity['kind'], name: string, flags: StateFlags) =>
      answerFromState(cli, flags, (state) => createIdentity(state, kind, name)),
    )
  for (const [name, description, change] of changes) {
    identities
      .command(name)
      .description(description)
      .argument('<id>', 'the user or service account')
      .addOption(createStateOption())
      .action((id: string, flags: StateFlags) => answerFromState(cli, flags, (state) => change(state, id)))
  }
}

/** Adds `gatepass gateway sts`: a stand-in for AWS STS, for trying proofs of AWS identities without AWS. */
function addGatewaySts(gateway: Command, cli: Cli): void {
  gateway
    .command('sts')
    .description('a stand-in for AWS STS on loopback, to try proofs of AWS identities without AWS')
    .addOption(
      new Option('--caller <arn...>', 'whom it knows: users, and sessions of roles')
        .makeOptionMandatory()
        .argParser(addCaller),
    )
    .requiredOption(
      '--credentials <file>',
      'where to write their keys, a profile each, named as the ARN ends; removed at the end',
    )
    .addOption(createPortOption(usualPorts.sts))
    .addHelpText(
      'after',
      '\nHelpers find the keys with AWS_SHARED_CREDENTIALS_FILE=FILE and --profile NAME; the verifier asks it with --sts-stand-in: docs/gateways/aws.md',
    )
    .action(async (flags: StsFlags) => runSts(cli, flags))
}

/** Adds a caller. The permitted characters of its name are those of the AWS documentation ("IAM and STS quotas"). */
function addCaller(arn: string, before: readonly string[] = []): readonly string[] {
  if (!/^arn:aws(-[a-z]+)*:(iam::\d{12}:user|sts::\d{12}:assumed-role\/[\w+=,.@-]+)(\/[\w+=,.@-]+)+$/.test(arn))
    throw new InvalidArgumentError(
      'expected an ARN such as arn:aws:iam::111122223333:user/dana or arn:aws:sts::111122223333:assumed-role/build/dana.',
    )
  if (before.some((other) => toProfile(other) === toProfile(arn)))
    throw new InvalidArgumentError('two callers would have a profile of the same name.')
  return [...before, arn]
}

interface IssueFlags extends StateFlags {
  readonly workspace: string
}

async function runSts({ host, terminal }: Cli, { caller, credentials, port }: StsFlags): Promise<void> {
  const { createStsCaller, startSts } = await import('../../gateway/start-sts.ts') // other commands need no server
  const callers = caller.map(createStsCaller)
  const sts = await startSts({ callers, port, now: host.clock.now, onAnswer: (line) => terminal.tell(`${line}\n`) })
  try {
    await writeCredentials(credentials, callers)
    terminal.tell(
      `${programName}: this is a stand-in for AWS STS, for trials on this machine only: it knows only the callers of --caller, and proves nothing\n`,
    )
    terminal.print(`${JSON.stringify({ url: sts.url, profiles: caller.map(toProfile) })}\n`)
    await waitForSignal()
    await rm(credentials, { force: true })
  } finally {
    await sts.close()
  }
}

/** @throws {HelperError} `refused` for an existing file, which may contain real credentials. */
async function writeCredentials(path: string, callers: readonly StandInCaller[]): Promise<void> {
  const text = callers
    .map(
      ({ arn, accessKeyId, secretAccessKey }) =>
        `[${toProfile(arn)}]\naws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey.reveal()}\n`,
    )
    .join('\n')
  await writeFile(path, text, { flag: 'wx', mode: 0o600 }).catch((cause: NodeJS.ErrnoException) => {
    throw new HelperError(
      'refused',
      `${toOneLine(path)} cannot be written (${cause.code})`,
      'name a new file with --credentials',
      { cause },
    )
  })
}

/** Returns the name of a user, or of the session of a role. */
function toProfile(arn: string): string {
  return arn.slice(arn.lastIndexOf('/') + 1)
}
