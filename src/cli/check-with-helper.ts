// Checks documents together with the helper of the suite that they name, for `config` and other commands.

import { win32 } from 'node:path'
import { checkDocument, sortFindings } from '../config/check/check-document.ts'
import {
  type DocumentCheckOptions,
  detectSystem,
  findDocumentHelper,
  type HelperFacts,
  type OperatingSystem,
  selectSystem,
} from '../config/check/rule.ts'
import type { ConfigDocument, HelperScriptCredential } from '../config/document.ts'
import type { Finding } from '../config/finding.ts'
import type { ReadResult } from '../config/read/read-document.ts'
import { keyServices } from '../contract/aws/keys.ts'
import { toAwsVariables } from '../contract/environment.ts'
import { type ProviderSettings, toOptionName } from '../contract/identity-providers/provider-settings.ts'
import { listCachedTokens } from '../helper/cache/inventory.ts'
import type { AnyHelper } from '../helper/define-helper.ts'
import { commonOptions } from '../helper/options/every-helper-options.ts'
import { listMissing } from '../helper/options/option-table.ts'
import type { OptionValue } from '../helper/options/option-value.ts'
import { type ResolvedOptions, readOptions, resolveOptions, toUnsetError } from '../helper/options/resolve-options.ts'
import { selectNetworkSettings } from '../helper/run/call-settings.ts'
import {
  requireGiven,
  type ValidatedHelper,
  validateArguments,
  validateOptions,
} from '../helper/run/validate-options.ts'
import { HelperError, toProblemError } from '../runtime/failure.ts'
import { locateCacheDirectory } from '../runtime/files/private-files.ts'
import type { Host } from '../runtime/host.ts'
import { validateProxy } from '../runtime/network/find-proxy.ts'
import { hasValue } from '../runtime/values/json-value.ts'
import { describeSignIn } from '../sources/oauth/oidc/describe-provider.ts'
import type { Cli } from './cli.ts'

/** Checks a document, and returns all findings, including those about the suite's helper that it names. */
export async function checkReadResult(
  cli: Cli,
  result: ReadResult,
  options: Omit<DocumentCheckOptions, 'helpers'>,
  from: ResolvedFrom,
): Promise<Finding[]> {
  const helpers = await collectHelperFacts(cli, result.document, selectSystem(result, options.os), from)
  return checkDocument(result, { now: cli.host.clock.now(), ...options, helpers })
}

/** The sources of a helper's settings; `the document alone` ignores the files and variables of this machine. */
type ResolvedFrom = 'this machine' | 'the document alone'

/** Collects the facts about the suite's helper that a document names, by its name; empty for another program. */
async function collectHelperFacts(
  cli: Cli,
  document: ConfigDocument | undefined,
  os: OperatingSystem | undefined,
  from: ResolvedFrom,
): Promise<ReadonlyMap<string, HelperFacts>> {
  const credential = document?.inference?.credential
  const found =
    credential?.kind === 'helper-script' && findDocumentHelper(credential, os, (name) => cli.helpers.has(name))
  const helper = found && cli.helpers.get(found.name)
  if (!found || !helper) return new Map()
  const { longestLifeSec, longestTtlSec } = helper
  const life = { tokenLifeSec: longestLifeSec, longestTtlSec }
  const validated = toValidated(cli, { name: found.name, helper }, os)
  const host = toHelperHost(cli.host, credential)
  return new Map([[found.name, { ...life, ...(await readFacts(host, validated, found.args, from)) }]])
}

/** Finds the suite's helper that a document names for this machine, with its arguments; `undefined` for another program. */
export function findSuiteHelper({ host, helpers }: Pick<Cli, 'host' | 'helpers'>, credential: HelperScriptCredential) {
  return findDocumentHelper(credential, detectSystem(host.platform), (name) => helpers.has(name))
}

/** Returns a helper of the suite, with options that its own declaration validates. */
export function toValidated(
  { helpers }: Pick<Cli, 'helpers'>,
  { name, helper }: { readonly name: string; readonly helper: AnyHelper },
  os: OperatingSystem | undefined,
): ValidatedHelper {
  const others = new Map([...helpers].map(([other, declaration]) => [other, async () => declaration]))
  return { program: name, helper, others, platform: platforms[os ?? 'linux'] }
}

const platforms = { linux: 'linux', macos: 'darwin', windows: 'win32' } as const satisfies Record<
  OperatingSystem,
  string
>

/** This machine as the helper sees it: with the document's variables, and on Windows in the helper's own directory. */
function toHelperHost(host: Host, { awsEnv, command, commandWindows = command }: HelperScriptCredential): Host {
  const isBeside = host.platform === 'win32' && commandWindows !== undefined
  return {
    ...host,
    env: { ...host.env, ...toAwsVariables(awsEnv, host.platform) },
    machineDirectory: isBeside ? win32.dirname(commandWindows) : host.machineDirectory,
  }
}

/** Reads the facts about a helper from its options: its assumptions about the client, or why it cannot run. */
async function readFacts(
  host: Host,
  validated: ValidatedHelper,
  args: readonly string[],
  from: ResolvedFrom,
): Promise<HelperFacts> {
  const { program, helper } = validated
  const table = { ...commonOptions, ...helper.options }
  const given = await attemptWork(() => requireGiven(validated, args))
  if (given instanceof HelperError) return { argumentProblem: given }
  const options = await attemptWork(async () =>
    from === 'this machine'
      ? readOptions(host, program, table, given)
      : resolveOptions(program, table, { arguments: given }),
  )
  if (options instanceof HelperError) return { settingsProblem: options }
  const problems = await validateOptions(validated, options)
  if (problems.length > 0) return examineProblem(validated, args, toProblemError(problems))
  const [proxyProblem] = validateProxy(selectNetworkSettings(host, options))
  const ofProxy = proxyProblem && toProblemError([proxyProblem])
  if (ofProxy && options.get('proxy')?.origin.from === 'argument') return { argumentProblem: ofProxy }
  const seconds = (option: string) => Number(options.get(option)?.value)
  const times = { clientTtlSec: seconds('client-ttl'), clientTimeoutSec: seconds('client-timeout') }
  const provider = findHelperProvider(options)
  const tokenLifeSec = from === 'this machine' && provider ? await findTokenLife(host, program, provider) : undefined
  const set = [...options].filter(([, { value }]) => hasValue(value))
  const unset = listMissing(helper.options, new Map(set.map(([option, { value }]) => [option, value])))
  // Every source of the option was read.
  if (unset.length > 0 && from === 'this machine') return { settingsProblem: toUnsetError(program, unset) }
  return {
    ...times,
    ...selectKeyFacts(options),
    ...(provider && { provider: { ...provider, tokenLifeSec } }),
    ...(ofProxy && { proxyProblem: ofProxy }),
    ...(unset.length > 0 && { unsetOptions: unset }),
  }
}

/** Returns the failure that would end the helper as a value. */
async function attemptWork<T>(work: () => T | Promise<T>): Promise<T | HelperError> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof HelperError) return error
    throw error
  }
}

/** Attributes a problem to the arguments if it also exists without the files and variables of this machine; otherwise to the settings. */
async function examineProblem(
  validated: ValidatedHelper,
  args: readonly string[],
  problem: HelperError,
): Promise<HelperFacts> {
  const ofArguments = await validateArguments(validated, args)
  return ofArguments.length > 0 ? { argumentProblem: toProblemError(ofArguments) } : { settingsProblem: problem }
}

/** Finds the life of the last token of this sign-in, from the public facts in the cache; `undefined` without such a token. */
async function findTokenLife(host: Host, program: string, provider: ProviderSettings): Promise<number | undefined> {
  const { issuer, tokenUrl, clientId = '' } = provider
  const step = describeSignIn({ issuer, tokenUrl, clientId })
  // The run itself reports a cache that cannot be used.
  const kept = await listCachedTokens(locateCacheDirectory(host)).catch(() => [])
  const entry = kept.findLast(({ helper, entry }) => helper === program && entry?.uses.includes(step))?.entry
  return entry && (entry.expiresAt - entry.minted) / 1000
}

/** Selects the service and the region of the AWS keys that a helper creates; empty for another helper. */
function selectKeyFacts(options: ResolvedOptions): Pick<HelperFacts, 'keyService' | 'region'> {
  const [service, region] = [options.get('service'), options.get('region')?.value]
  if (!keyServices.some(({ name }) => name === service?.value)) return {}
  const keyService = { name: String(service?.value), isSet: service?.origin.from !== 'default' }
  return { keyService, ...(region !== undefined && { region: String(region) }) }
}

/**
 * Checks a document for every system for which it names a helper; a finding about several systems is reported once.
 * @param own A system that is always checked.
 */
export async function checkOnEverySystem(
  cli: Cli,
  result: ReadResult,
  options: Omit<DocumentCheckOptions, 'helpers' | 'os'> = {},
  own?: OperatingSystem,
): Promise<Finding[]> {
  const systems = own === undefined ? listSystems(result) : withSystem(own, listSystems(result))
  const found = await Promise.all(
    systems.map((os) => checkReadResult(cli, result, { ...options, ...os }, 'the document alone')),
  )
  return sortFindings([...new Map(found.flat().map((row) => [JSON.stringify(row), row])).values()])
}

/** Lists the systems for which the document is checked. An entry without `os` stands for the rules of every system. */
function listSystems({ document }: ReadResult): { os?: OperatingSystem }[] {
  const credential = document?.inference?.credential
  if (credential?.kind !== 'helper-script' || credential.commandWindows === undefined) return [{}]
  return credential.command === undefined ? [{ os: 'windows' }] : [{ os: 'linux' }, { os: 'windows' }]
}

/** Adds a system in front. The rules of every system are checked with it, so that the entry without `os` is not needed. */
function withSystem(own: OperatingSystem, systems: readonly { os?: OperatingSystem }[]): { os?: OperatingSystem }[] {
  // A document that is valid for one of Linux and macOS is valid for the other.
  const isOwn = (os: OperatingSystem) => os === own || (os === 'linux' && own === 'macos')
  return [{ os: own }, ...systems.filter(({ os }) => os !== undefined && !isOwn(os))]
}

/**
 * Finds the identity provider in the options of a helper that signs people in; `undefined` for another helper. The options have the names
 * of the document's `oidc` object.
 */
export function findHelperProvider(options: ResolvedOptions): ProviderSettings | undefined {
  if (!options.has('client-id') || !options.has('bearer-token-type')) return undefined
  const text = (name: string) => options.get(name)?.value?.toString()
  const port = options.get('redirect-port')?.value
  const keepsRefreshToken = text('refresh-token-store') !== 'none'
  return {
    ...Object.fromEntries(textSettings.map((setting) => [setting, text(toOptionName(setting))])),
    // A helper that keeps no refresh token does not request one.
    appendOfflineAccess: keepsRefreshToken && options.get('append-offline-access')?.value !== false,
    keepsRefreshToken,
    isExchanged: options.get('exchange')?.value !== undefined,
    redirectPort: typeof port === 'number' ? port : undefined,
    parameters: parseParameters(options.get('authorization-parameter')?.value),
  }
}

/** The settings of a provider that are the text of the helper's option. */
const textSettings = [
  ...(['clientId', 'clientSecretFile', 'issuer', 'authorizationUrl', 'tokenUrl', 'bearerTokenType'] as const),
  ...(['scopes', 'resource', 'redirectHost', 'redirectPath', 'signIn'] as const),
]

/** Parses one or several texts of the form `name=value`. */
function parseParameters(texts: OptionValue = []): Record<string, string> {
  const all = Array.isArray(texts) ? texts : [String(texts)]
  return Object.fromEntries(
    all.map((text: string) => [text.split('=', 1)[0] ?? '', text.slice(text.indexOf('=') + 1)] as const),
  )
}
