import type { OperatingSystem } from '../../../config/check/rule.ts'
import type { ConfigDocument, HelperScriptCredential } from '../../../config/document.ts'
import type { CredentialKind } from '../../../config/field.ts'
import { parseDocument } from '../../../config/read/read-document.ts'
import { chooseTtlSec, createDocument, type InitAnswers } from '../../../config/render/create-document.ts'
import { renderNested } from '../../../config/render/shapes.ts'
import { findKeyGateway } from '../../../contract/aws/keys.ts'
import { chooseSettings, describeSettings } from '../../../contract/identity-providers/choose-settings.ts'
import { detectProviderFamily } from '../../../contract/identity-providers/detect-family.ts'
import type { ProviderSettings } from '../../../contract/identity-providers/provider-settings.ts'
import { suggestedTimeoutSec } from '../../../contract/limits.ts'
import type { AnyHelper } from '../../../helper/define-helper.ts'
import { requireArguments } from '../../../helper/options/arguments.ts'
import { commonOptions } from '../../../helper/options/every-helper-options.ts'
import { hasArgument } from '../../../helper/options/option-value.ts'
import { resolveOptions } from '../../../helper/options/resolve-options.ts'
import type { NamedHelper } from '../../../helper/run/prepare-second.ts'
import { attemptUnlessFailed, toOneLine } from '../../../runtime/failure.ts'
import { locateInstalled } from '../../../suite/installed-programs.ts'
import { checkOnEverySystem, findHelperProvider } from '../../check-with-helper.ts'
import type { Cli } from '../../cli.ts'
import { askOptions } from './ask-helper-options.ts'
import { type InitFlags, toProviderArguments } from './flags.ts'
import { tellNotices } from './provider-settings.ts'
import { type Interview, resolveAnswer, sharedWords } from './question.ts'

/** Collects a helper of the suite, its installed path, and the arguments that it needs. */
export async function collectHelper(
  interview: Interview,
  flags: InitFlags,
  _kind: CredentialKind,
  baseUrl: string,
): Promise<HelperScriptCredential> {
  const { name, helper } = await askHelper(interview, flags.helper)
  const paths = await askPaths(interview, name, flags)
  const args = await collectArguments(interview, flags, { name, helper }, baseUrl)
  const ttlSec = await askTtl(interview, helper, flags.ttl)
  const timeout = helper.signIn && !hasArgument(args, 'client-timeout') ? { timeoutSec: suggestedTimeoutSec } : {}
  return toCredential({ ...paths, ...(args.length > 0 && { args }), ttlSec, ...timeout })
}

/** Collects the arguments from flags, and the further arguments that the helper needs. */
export async function collectArguments(
  interview: Interview,
  flags: InitFlags,
  { name, helper }: NamedHelper,
  baseUrl: string,
): Promise<string[]> {
  const said = [...toProviderArguments(flags), ...(flags.arg ?? [])]
  const given = [...said, ...chooseGatewayArguments(helper, baseUrl, said)]
  const asked = [...given, ...(await askOptions(interview, { name, helper, given, os: chooseSystem(flags) }))]
  const args = [...asked, ...(await collectProviderArguments({ name, helper, args: asked }))]
  tellNotices(interview, await describeHelperProvider({ name, helper, args }))
  return args
}

/**
 * Chooses the service and the region in the gateway's host, as arguments of a helper that makes AWS keys; empty if the command line sets
 * them.
 */
function chooseGatewayArguments({ options }: AnyHelper, baseUrl: string, given: readonly string[]): string[] {
  // The check of the document reports a text that is not a URL.
  const gateway = URL.canParse(baseUrl) ? findKeyGateway(new URL(baseUrl).hostname) : undefined
  const { service, region } = options
  if (!gateway || !service || !region) return []
  const wanted = { service: gateway.service.name, region: gateway.region }
  const unsaid = Object.entries(wanted).filter(
    ([name, value]) => options[name]?.default !== value && !hasArgument(given, name),
  )
  return unsaid.flatMap(([name, value]) => [`--${name}`, value])
}

/** Chooses the system whose path rules apply to the helper's arguments. */
function chooseSystem({ command, commandWindows }: InitFlags): OperatingSystem {
  return commandWindows !== undefined && command === undefined ? 'windows' : 'linux'
}

/** Asks for the helper, unless the flag names it. */
export async function askHelper(interview: Interview, given: string | undefined): Promise<NamedHelper> {
  const { helpers } = interview.cli
  const name = await resolveAnswer(
    interview,
    {
      flag: '--helper',
      words: `Which helper (${[...helpers.keys()].join(', ')})`,
      validate: (answer) => (helpers.has(answer) ? undefined : `there is no helper ${JSON.stringify(answer)}`),
    },
    given,
  )
  return { name, helper: helpers.get(name)! } // by the question and by the flag's choices
}

/** The installed paths of the helper. */
type Paths = Pick<InitAnswers, 'command' | 'commandWindows'>

/** One given path is sufficient; without any, and without a person, the usual path is used. */
async function askPaths(interview: Interview, name: string, flags: InitFlags): Promise<Paths> {
  const { command, commandWindows } = flags
  if (command || commandWindows) return { ...(command && { command }), ...(commandWindows && { commandWindows }) }
  const usual = locateInstalled(name, 'posix')
  const posix = await resolveAnswer(interview, {
    flag: '--command',
    words: `Where is ${name} on macOS and Linux`,
    fallback: { value: usual, words: usual },
    validate: (answer) => validatePath(interview, 'command', answer),
  })
  const windows = await resolveAnswer(interview, {
    flag: '--command-windows',
    words: 'And on Windows',
    fallback: { value: '', words: 'nowhere' },
    validate: (answer) => validatePath(interview, 'commandWindows', answer),
  })
  return { command: posix, ...(windows && { commandWindows: windows }) }
}

/** Validates the path of a helper; `undefined` for a valid one. */
export function validatePath({ cli }: Interview, name: keyof Paths, answer: string): Promise<string | undefined> {
  const credential = toCredential({ [name]: answer })
  return validateField(cli, { inference: { provider: 'gateway', credential } }, `inference.credential.${name}`)
}

async function askTtl(interview: Interview, helper: AnyHelper, given: string | undefined): Promise<number> {
  const usual = String(helper.suggestedTtlSec ?? chooseTtlSec(helper.longestLifeSec))
  const answer = await resolveAnswer(
    interview,
    {
      flag: '--ttl',
      words: sharedWords.ttl,
      fallback: { value: usual, words: usual },
      validate: validateTtl,
    },
    given,
  )
  return Number(answer)
}

/** Validates the text of a ttl; `undefined` for a valid one. */
export function validateTtl(text: string): string | undefined {
  return /^[1-9]\d{0,8}$/.test(text) ? undefined : 'expected a whole number of seconds above 0'
}

function toCredential(answers: Omit<InitAnswers, 'baseUrl'>): HelperScriptCredential {
  return createDocument({ baseUrl: '', ...answers }).inference.credential
}

/** Validates one field of a document by the rules of the check; findings about other fields are ignored. */
export async function validateField(cli: Cli, document: ConfigDocument, path: string): Promise<string | undefined> {
  const findings = await checkOnEverySystem(cli, parseDocument(Buffer.from(renderNested(document))))
  const problem = findings.find((row) => row.path === path && row.severity === 'error')
  return problem && toOneLine(`${problem.message}; ${problem.hint}`)
}

/** A helper with its arguments so far. */
interface Configured {
  readonly name: string
  readonly helper: AnyHelper
  readonly args: readonly string[]
}

/** Collects the further arguments for the identity provider of a helper; empty for another helper. */
async function collectProviderArguments(configured: Configured): Promise<string[]> {
  const provider = await findProvider(configured)
  if (!provider) return []
  const { redirectHost, redirectPort, appendOfflineAccess } = chooseSettings(provider)
  const { parameters = {} } = detectProviderFamily(provider)
  const wanted: [option: string, value: unknown][] = [
    ['redirect-host', redirectHost],
    ['redirect-port', redirectPort],
    ['append-offline-access', appendOfflineAccess],
    // Only a stored refresh token needs them.
    ...(provider.keepsRefreshToken ? Object.entries(parameters) : [])
      .filter(([name]) => provider.parameters?.[name] === undefined)
      .map(([name, value]): [string, string] => ['authorization-parameter', `${name}=${value}`]),
  ]
  return wanted.flatMap(([option, value]) =>
    value === undefined || (option !== 'authorization-parameter' && hasArgument(configured.args, option))
      ? []
      : [`--${option}`, String(value)],
  )
}

/** Describes the steps for registering the helper with its provider; empty for another helper or an unknown provider. */
async function describeHelperProvider(configured: Configured): Promise<string[]> {
  const provider = await findProvider(configured)
  return provider ? describeSettings(provider) : []
}

async function findProvider({ name, helper, args }: Configured): Promise<ProviderSettings | undefined> {
  const table = { ...commonOptions, ...helper.options }
  return attemptUnlessFailed(async () =>
    findHelperProvider(resolveOptions(name, table, { arguments: await requireArguments(name, table, args) })),
  )
}
