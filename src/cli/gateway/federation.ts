import { readFileSync } from 'node:fs'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { JSONWebKeySet } from 'jose'
import { exchangeLimits } from '../../contract/http-api.ts'
import {
  createIssuer,
  createRule,
  type IdentityReuse,
  type Issuer,
  identityReuses,
} from '../../gateway/credentials/federation-rules.ts'
import type { State } from '../../gateway/store/state.ts'
import { HelperError } from '../../runtime/failure.ts'
import { isObject } from '../../runtime/values/json-value.ts'
import type { Cli } from '../cli.ts'
import { answerFromState, createStateOption, type StateFlags } from './console-state.ts'

/** Adds `gatepass gateway federation …`: the issuers and rules of token exchanges. */
export function addGatewayFederation(gateway: Command, cli: Cli): void {
  const federation = gateway.command('federation').description('register identity providers and rules')
  addIssuer(federation, cli)
  addRule(federation, cli)
}

function addIssuer(federation: Command, cli: Cli): void {
  federation
    .command('issuer')
    .description('register an identity provider')
    .argument('<issuer>', 'as its tokens spell it (iss)')
    .addOption(createStateOption())
    .addOption(new Option('--jwks-url <url>', 'where its keys are (default: <issuer>/jwks)').conflicts('jwksFile'))
    .option('--jwks-file <file>', 'a JSON Web Key Set with its present keys')
    .action((issuer: string, flags: IssuerFlags) =>
      answerFromState(cli, flags, (state) => ({ id: createIssuer(state, { issuer, keys: readKeys(issuer, flags) }) })),
    )
}

interface IssuerFlags extends StateFlags {
  readonly jwksUrl?: string
  readonly jwksFile?: string
}

function readKeys(issuer: string, { jwksUrl, jwksFile }: IssuerFlags): Issuer['keys'] {
  if (jwksFile === undefined) return { url: jwksUrl ?? `${issuer.replace(/\/+$/, '')}/jwks` }
  const inline = readJson(jwksFile)
  if (isKeySet(inline)) return { inline }
  throw new HelperError('usage', `${jwksFile} holds no keys`, 'name a file with a JSON Web Key Set')
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined // the caller reports the problem
  }
}

/** Checks the form of a key set (RFC 7517, section 5); each key is checked when it is first used. */
function isKeySet(value: unknown): value is JSONWebKeySet {
  return isObject(value) && Array.isArray(value.keys)
}

function addRule(federation: Command, cli: Cli): void {
  federation
    .command('rule')
    .description('say which tokens of a provider are exchanged, and for whose access tokens')
    .addOption(createStateOption())
    .requiredOption('--issuer <id>', 'the registered identity provider')
    .requiredOption('--service-account <id>', 'the service account that the access token acts as')
    .requiredOption('--workspace <id>', 'the workspace if the exchange names none')
    .requiredOption('--audience <text>', 'what the token must be for (aud)')
    .option('--subject <pattern>', 'whom it must be about (sub); * stands for any text', '*')
    .addOption(
      new Option('--claim <name=pattern...>', 'what another claim must be').default({}, 'none').argParser(addClaim),
    )
    .addOption(
      new Option('--life <seconds>', 'how long the access token lives')
        .default(exchangeLimits.defaultLifeSec)
        .argParser(Number),
    )
    .addOption(
      new Option('--identity-reuse <when>', 'whether a token with a jti may be exchanged more than once')
        .choices(identityReuses)
        .default('never'),
    )
    .action((flags: RuleFlags) => answerFromState(cli, flags, (state) => createFederationRule(state, flags)))
}

interface RuleFlags extends StateFlags {
  readonly issuer: string
  readonly serviceAccount: string
  readonly workspace: string
  readonly audience: string
  readonly subject: string
  readonly claim: Readonly<Record<string, string>>
  readonly life: number
  readonly identityReuse: IdentityReuse
}

function addClaim(text: string, before: Readonly<Record<string, string>>): Record<string, string> {
  const [, name, pattern] = /^([^=]+)=(.*)$/s.exec(text) ?? []
  if (name === undefined || pattern === undefined) throw new InvalidArgumentError('expected name=pattern.')
  return { ...before, [name]: pattern }
}

function createFederationRule(state: State, flags: RuleFlags) {
  const id = createRule(state, {
    issuerId: flags.issuer,
    serviceAccountId: flags.serviceAccount,
    workspaceId: flags.workspace,
    conditions: { audience: flags.audience, subject: flags.subject, claims: flags.claim },
    lifeSec: flags.life,
    identityReuse: flags.identityReuse,
  })
  return { organization: state.organizationId, id }
}
