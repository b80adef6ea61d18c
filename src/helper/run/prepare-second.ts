import { HelperError, renderWarning } from '../../runtime/failure.ts'
import { type Host, prepareBesideCommand } from '../../runtime/host.ts'
import { findNearestName } from '../../runtime/text/nearest-name.ts'
import { quoteForAnyShell } from '../../runtime/text/quote.ts'
import { type HeaderTemplate, secondPrefix, splitWanted, validateFacts } from '../../runtime/tokens/header-facts.ts'
import type { AnyHelper, OtherHelpers } from '../define-helper.ts'
import { requireArguments } from '../options/arguments.ts'
import { type CommonOptions, commonOptions, outcomeOptions, secondOptions } from '../options/every-helper-options.ts'
import type { ResolvedOption } from '../options/option-files.ts'
import type { OptionValue } from '../options/option-value.ts'
import { type ResolvedOptions, refuseUnsetOptions, toValues } from '../options/resolve-options.ts'
import { type CallRecord, createCallRecord } from '../record/call-record.ts'
import type { ServedRun } from './cached-or-minted.ts'
import { createCall, createDeadline, readConfiguration } from './call-settings.ts'
import type { PreparedRun } from './plan-request.ts'

/**
 * Prepares the run of the second helper as if it ran alone, with its own options, entry and lock, but with the deadline of the first.
 * @throws {HelperError} if its configuration cannot be used. Nobody has been asked by then.
 */
export async function prepareSecond(
  first: PreparedRun,
  templates: readonly HeaderTemplate[],
  others: OtherHelpers,
): Promise<PreparedRun> {
  const second = await requireSecond(first.call.program, first.options, others)
  const { name: program, helper } = second
  refuseUnfitTemplates(templates, first.call.program, second)
  const wanted = splitWanted(templates).second.filter((fact) => fact !== tokenFact)
  const host = toSecondHost(first, program)
  const record = createCallRecord()
  first.record.second = { program, record }
  try {
    const resolved = await readSecondOptions(first, second, { host, record, wanted })
    record.resolved = resolved
    const call = {
      ...createCall(program, host, resolved, record),
      warn: createWarn(first, program, record),
      wantedFacts: new Set(wanted),
    }
    return { helper, host, resolved, options: toValues<CommonOptions>(resolved), call, record }
  } catch (error) {
    throw recordSecondFailure(program, error, first.record)
  }
}

/** A helper with the name of its executable. */
export interface NamedHelper {
  readonly name: string
  readonly helper: AnyHelper
}

/** The first word in the name of the helper that runs a program for its token, and the name of its option for the program's words. */
const commandFamily = 'command'

/**
 * Loads the helper that gives the second token.
 * @throws {HelperError} `usage` if none or more than one is named, `not-configured` if this program does not contain it.
 */
export async function requireSecond(
  program: string,
  options: CommonOptions,
  others: OtherHelpers,
): Promise<NamedHelper> {
  const name = requireSecondName(options, others)
  const load = others.get(name)
  if (!load) throw toMissing(program, name, [...others.keys()])
  return { name, helper: await load() }
}

function requireSecondName(
  { 'second-helper': helper, 'second-command': command }: CommonOptions,
  others: OtherHelpers,
): string {
  if (command.length > 0 && helper !== undefined)
    throw new HelperError('usage', 'both second-helper and second-command are set', 'remove one of them')
  if (command.length > 0)
    return [...others.keys()].find((name) => name.startsWith(`${commandFamily}-`)) ?? 'a helper that runs programs'
  if (helper !== undefined) return helper
  throw new HelperError(
    'usage',
    'second-option is set, but no second-helper that would take it',
    'set second-helper to the name of a helper, or remove second-option',
  )
}

function toMissing(program: string, name: string, names: readonly string[]): HelperError {
  if (names.length === 1)
    return new HelperError(
      'not-configured',
      `this program holds ${program} alone, and a second token needs ${name} beside it`,
      `run ${program} from the executable that holds every helper`,
    )
  const near = findNearestName(name, names)
  return new HelperError(
    'not-configured',
    `second-helper: there is no helper of this name${near === undefined ? '' : ` (did you mean ${near}?)`}`,
    `set it to one of ${names.join(', ')}`,
  )
}

/** Renders the options of the second helper as the arguments of a run of that helper alone. */
export function listSecondArguments(options: CommonOptions): string[] {
  const command = options['second-command'].map((word) => `--${commandFamily}=${word}`)
  return [...command, ...options['second-option'].map((option) => `--${option}`)]
}

function toSecondHost({ host, options }: PreparedRun, name: string): Host {
  return { ...host, argv: listSecondArguments(options), ownCommand: prepareBesideCommand(host.argv, name) }
}

/** The options whose values the second helper takes from the first. */
const firstOptions = ['client-ttl', 'client-timeout', 'format', 'explain'] as const

/** The options of the whole call, which only the first helper has. In the files of the second helper they apply to its own runs. */
const ofTheCall: readonly string[] = [
  ...[...firstOptions, 'header', 'log-file', 'help', 'version'],
  ...Object.keys({ ...secondOptions, ...outcomeOptions }),
]

/**
 * Reads the options of the second helper: `second-option` instead of arguments, its variables and its files; {@link firstOptions} are the
 * first helper's.
 * @param host Its `argv` are the second helper's.
 * @param wanted The facts of the second token that headers use.
 * @throws {HelperError} as a run of that helper alone does, or `usage` for an option of the whole call.
 */
async function readSecondOptions(
  first: PreparedRun,
  { name, helper }: NamedHelper,
  { host, record, wanted }: { readonly host: Host; readonly record: CallRecord; readonly wanted: readonly string[] },
): Promise<ResolvedOptions> {
  const table = { ...commonOptions, ...helper.options }
  const given = await requireArguments(name, table, host.argv)
  refuseOptionsOfCall(given)
  const deadline = createDeadline(host, first.options['client-timeout'], record)
  const read = await readConfiguration(host, helper, { program: name, table, given }, deadline)
  refuseUnsetOptions(name, helper.options, read)
  return new Map([...listOwn(read), ...listShared(first, wanted)])
}

/** Refuses options of the whole call in `second-option`. @throws {HelperError} `usage` */
export function refuseOptionsOfCall(given: ReadonlyMap<string, OptionValue>): void {
  const misplaced = [...given.keys()].filter((option) => ofTheCall.includes(option))
  if (misplaced.length === 0) return
  throw new HelperError(
    'usage',
    `second-option: ${misplaced.join(', ')} cannot be set for the second token`,
    'remove it: it is set once, for the whole answer',
  )
}

function listOwn(read: ResolvedOptions): (readonly [string, ResolvedOption])[] {
  return [...read]
    .filter(([option]) => !ofTheCall.includes(option))
    .map(([option, { value, origin }]) => [
      option,
      { value, origin: origin.from === 'argument' ? { from: 'second-option' } : origin },
    ])
}

function listShared({ resolved }: PreparedRun, wanted: readonly string[]): (readonly [string, ResolvedOption])[] {
  // If the headers use only the token, the cache entry is the one of runs of that helper alone.
  const facts = [...new Set(wanted)].sort().map((fact) => `{${fact}}`)
  const shared = firstOptions.map((option) => [option, resolved.get(option)!] as const)
  return [...shared, ['header', { value: facts, origin: { from: 'header' } }]]
}

/** Creates the function that warns under the name of the running program, as the client's log shows it. */
function createWarn({ host, call }: PreparedRun, name: string, { warnings }: CallRecord) {
  return (message: string) => {
    warnings.push(message)
    host.streams.stderr(renderWarning(call.program, `${describeSecond(name)}: ${message}`))
  }
}

/** The name for the second token itself in header templates, after the prefix. */
const tokenFact = 'token'

/**
 * Refuses header templates with facts that the second helper does not have. It also refuses a second token that no header uses, which would
 * be minted in vain.
 * @throws {HelperError} `usage`
 */
export function refuseUnfitTemplates(
  templates: readonly HeaderTemplate[],
  program: string,
  { name, helper }: NamedHelper,
): void {
  const facts = [tokenFact, ...helper.facts].map((fact) => `${secondPrefix}${fact}`)
  const problems = templates.flatMap((template) => {
    const wanted = splitWanted([template]).second.map((fact) => `${secondPrefix}${fact}`)
    return validateFacts(template, wanted, facts, `the second helper, ${name},`)
  })
  if (problems.length > 0)
    throw new HelperError('usage', `header: ${problems.join('; ')}`, `see what it knows: ${name} --help`)
  if (splitWanted(templates).second.length === 0)
    throw new HelperError(
      'usage',
      `a second token is requested from ${name}, but no header uses it`,
      `add the header that the gateway reads, such as --header ${quoteForAnyShell(`X-Second: {${secondPrefix}${tokenFact}}`)}; see: ${program} --help`,
    )
}

/** Joins the values for header templates: the facts of the first token, and with a prefix the second token and its facts. */
export function joinFacts(first: ServedRun, { served }: ServedRun): Record<string, string> {
  const second = Object.entries({ ...served.facts, [tokenFact]: served.token.reveal() })
  return {
    ...first.served.facts,
    ...Object.fromEntries(second.map(([fact, value]) => [`${secondPrefix}${fact}`, value])),
  }
}

/** Names the second helper at the beginning of messages. */
export function describeSecond(name: string): string {
  return `the second helper, ${name}`
}

/**
 * Records that the second helper failed, and returns its error as the failure of the call. The second helper's options are recorded too,
 * because they may have a `sign-in-hint`.
 */
export function recordSecondFailure(name: string, error: unknown, record: CallRecord): unknown {
  if (!(error instanceof HelperError)) return error
  record.failedWith = record.second?.record.resolved ?? new Map()
  return new HelperError(error.kind, `${describeSecond(name)}: ${error.message}`, error.hint, { cause: error })
}
