import { type Command, InvalidArgumentError, Option } from 'commander'
import { HelperError } from '../../runtime/failure.ts'
import { parseMoment } from '../../runtime/values/duration.ts'
import { toTenantPrefix } from '../../verify/replay/redis-address.ts'
import {
  type Revocation,
  type RevokedKind,
  renderRevocation,
  revokedKinds,
} from '../../verify/revocation/revocation.ts'
import { appendRevocations } from '../../verify/revocation/revocation-file.ts'
import type { Cli } from '../cli.ts'
import { readNetwork } from '../network.ts'
import { createRedisPasswordOption, createRedisPrefixOption } from './verifier/verifier-flags.ts'

/** Adds `gatepass gateway revoke`: adds entries to the revocations of verifiers. */
export function addGatewayRevoke(gateway: Command, cli: Cli): void {
  const command = gateway
    .command('revoke')
    .description('have verifiers refuse tokens within a second, although they are good')
  for (const kind of revokedKinds) command.addOption(new Option(`--${kind} <text>`, summaries[kind]))
  command
    .option('--issuer <url>', 'only tokens of this issuer (default: of any)')
    .addOption(
      new Option('--issued-before <time>', 'only tokens that were issued until then; now is for all so far').argParser(
        createParseTime(cli),
      ),
    )
    .addOption(new Option('--until <time>', 'when they pass again (default: never)').argParser(createParseTime(cli)))
    .option('--lift', 'take an earlier revocation back')
    .option('--note <text>', 'why, for people who read the list')
    .option('--file <file>', 'the file that verifiers follow (--revocations FILE)')
    .option('--redis <url>', 'the Redis of verifiers (--revocations redis)')
    .addOption(createRedisPasswordOption())
    .addOption(createRedisPrefixOption())
    .option('--tenant <name>', 'with --redis: the tenant whose list gets the entry')
    .addHelpText('after', '\nIt prints the entry. All of it: docs/gateways/revocation.md')
    .action((flags: RevokeFlags) => revoke(cli, flags))
}

const summaries: Readonly<Record<RevokedKind, string>> = {
  subject: 'the owner of tokens, by their claim sub, or the ARN of an AWS identity',
  email: 'the owner, by the claim email',
  session: 'a session at the provider, by the claim sid',
  token: 'one token, by its claim jti',
  key: 'a key of an issuer, by its kid or its thumbprint (RFC 7638)',
}

interface RevokeFlags extends Partial<Record<RevokedKind, string>> {
  readonly issuer?: string
  readonly issuedBefore?: number
  readonly until?: number
  readonly lift?: true
  readonly note?: string
  readonly file?: string
  readonly redis?: string
  readonly redisPasswordFile?: string
  readonly redisPrefix: string
  readonly tenant?: string
}

function createParseTime({ host }: Cli): (text: string) => number {
  return (text) => {
    if (text === 'now') return host.clock.now()
    const date = parseMoment(text)
    if (date) return date.getTime()
    throw new InvalidArgumentError('expected now, or a time such as 2026-11-28T09:00:00Z.')
  }
}

async function revoke({ host, terminal }: Cli, flags: RevokeFlags): Promise<void> {
  const { file, redis, note, tenant } = flags
  const revocation = parseFlags(flags, host.clock.now())
  if ((file === undefined) === (redis === undefined))
    throw new HelperError('usage', 'it is not clear which list is meant', 'name one of --file FILE and --redis URL')
  if (file !== undefined && tenant !== undefined)
    throw new HelperError('usage', '--tenant is for a list in Redis', 'name the file of that tenant, without --tenant')
  if (file !== undefined) await appendRevocations(file, [revocation], note)
  else {
    const [{ requireRevocationRedis }, { sendRevocations }] = await Promise.all([
      import('./verifier/open-revocations.ts'),
      import('../../verify/revocation/redis-revocations.ts'),
    ])
    const prefix = tenant === undefined ? flags.redisPrefix : toTenantPrefix(flags.redisPrefix, tenant)
    const settings = await requireRevocationRedis({ ...flags, redisPrefix: prefix }, host.env, await readNetwork(host))
    await sendRevocations(settings, [revocation], note)
  }
  terminal.print(`${renderRevocation(revocation, note)}\n`)
}

/** @throws {HelperError} `usage` unless exactly one kind is given. */
function parseFlags(flags: RevokeFlags, now: number): Revocation {
  const named = revokedKinds.filter((kind) => flags[kind])
  const [kind] = named
  if (!kind || named.length > 1) {
    const names = revokedKinds.map((each) => `--${each}`).join(', ')
    throw new HelperError('usage', 'it is not clear what is revoked', `name one of ${names}`)
  }
  const { issuer, issuedBefore: before = Infinity, until = Infinity, lift } = flags
  return { kind, value: flags[kind]!, issuer, before, until: lift ? now : until } // the filter has found the kind
}
