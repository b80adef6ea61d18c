import { isPromptAllowed } from '../../contract/context.ts'
import type { Headers } from '../../contract/headers.ts'
import { detectStatedCause, refreshCauseVariable } from '../../contract/refresh.ts'
import { readLastFailure } from '../../outcomes/last-failure.ts'
import { readHeadersFile } from '../../outcomes/read-headers-file.ts'
import type { Deadline } from '../../runtime/deadline.ts'
import { expandHome } from '../../runtime/disk.ts'
import { HelperError, toIndentedLine } from '../../runtime/failure.ts'
import { locateCacheDirectory } from '../../runtime/files/private-files.ts'
import { type Host, observeParentProcessId } from '../../runtime/host.ts'
import { renderDuration } from '../../runtime/values/duration.ts'
import { vendor } from '../../vendor.ts'
import { type EntryLocation, toCacheFilePath } from '../cache/cache-files.ts'
import { computeRenewalTimes } from '../cache/freshness.ts'
import { readOutline } from '../cache/sealed-entry.ts'
import type { ServedToken, TokenRequest } from '../cache/store.ts'
import type { AnyHelper, Call, Plan, Refresh } from '../define-helper.ts'
import { describeOptions, type ResolvedOptions } from '../options/resolve-options.ts'
import { describeOrigin, hasOutcomes } from '../record/call-record.ts'
import { type OutcomeSettings, parseOutcomeSettings } from '../record/outcome-settings.ts'
import type { ServedPair, ServedRun, ServedSecond } from './cached-or-minted.ts'
import type { PreparedRun } from './plan-request.ts'

/** Renders the output of `--explain`, without the token and without the values of headers. */
export async function renderExplanation(run: PreparedRun, pair: ServedPair, headers: Headers): Promise<string> {
  const { helper, host, call, resolved, record } = run
  const { plan, request, second } = pair
  const served = second?.first ?? pair.served
  const names = Object.keys(headers)
  const outcomes = await describeOutcomes(host, resolved, call.deadline)
  const sections: ExplainedPart[] = [
    ['context', describeContexts(host, call, { request, refresh: record.refresh })],
    ['options', describeOptions(resolved)],
    ['uses', await describeUses(helper, plan)],
    ['token', describeToken(host, served)],
    ...(second ? await describeSecond(host, second) : []),
    ['headers', names.length > 0 ? names : ['none']],
    ['cache', await describeCache(host, call, { request, served, plan })],
    ...(outcomes.length === 0 ? [] : [['outcomes', outcomes] satisfies ExplainedPart]),
  ]
  return sections
    .map(([title, lines]) => `${title}\n${lines.map((line) => `  ${toIndentedLine(line)}\n`).join('')}`)
    .join('')
}

/** Describes where a token is cached, and when it is renewed. A cache that cannot be read has been reported before. */
async function describeCache(host: Host, call: Call, { request, served, plan }: ServedRun): Promise<string[]> {
  const { cache, program, key } = request
  if (cache === 'none') return ['not used']
  if (!served.expiresAt) return ['a token with no known end is not stored']
  const location = { directory: locateCacheDirectory(host), program, key }
  const path = toCacheFilePath(location, cache === 'keychain' ? 'sealed' : 'entry')
  const reading = () => describeRenewal(location, request)
  const renewal = await call.deadline.during('cache', `reading ${path}`, reading).catch(() => undefined)
  return [path, ...(renewal === undefined ? [] : [renewal]), ...describeDependence(plan)]
}

function describeToken(host: Host, served: ServedToken): string[] {
  return [`from ${describeOrigin(served.origin)}`, describeLife(host, served), ...describeFacts(served)]
}

function describeLife(host: Host, { expiresAt }: ServedToken): string {
  if (!expiresAt) return 'has no known end'
  return `lives ${Math.floor((expiresAt.getTime() - host.clock.now()) / 1000)} s, until ${expiresAt.toISOString()}`
}

function describeFacts({ facts }: ServedToken): string[] {
  return Object.entries(facts).map(([name, value]) => `${name}: ${value}`)
}

/** Lists the steps that lead to a token, one a line. */
async function describeUses(helper: AnyHelper, plan: Plan): Promise<readonly string[]> {
  return (await helper.explain?.(plan)) ?? plan.steps
}

/**
 * Describes when a cached token is renewed; `undefined` if it is not cached, or expires too early to be served again.
 * @throws the system's error, or `UnsafeCacheError`.
 */
async function describeRenewal(
  location: EntryLocation,
  { cache, clientTtlSec, renewEarly }: Pick<TokenRequest, 'cache' | 'clientTtlSec' | 'renewEarly'>,
): Promise<string | undefined> {
  const entry = cache === 'none' ? undefined : await readOutline(location, cache === 'disk' ? 'entry' : 'sealed')
  if (!entry) return undefined
  const { servableUntil, renewedFrom } = computeRenewalTimes(entry, { clientTtlSec, renewEarly })
  if (servableUntil <= entry.minted) return undefined
  const date = new Date(renewedFrom).toISOString()
  return `renewed from ${date} on, ${describeEarliness(servableUntil - renewedFrom)}`
}

/** Describes what distinguishes the cache entry of a program's token from others, as far as it can be seen from outside the program. */
function describeDependence({ dependence }: Pick<Plan, 'dependence'>): string[] {
  if (!dependence) return []
  const { programs, variables, watched } = dependence
  return [
    ...(programs ? [`for ${programs.length === 0 ? 'a program that is not on PATH' : programs.join(', ')}`] : []),
    ...(variables.length === 0 ? [] : [`for the values of ${variables.join(', ')}`]),
    ...(watched.paths.length === 0 ? [] : [`until one of these changes: ${watched.paths.join(', ')}`]),
  ]
}

type ExplainedPart = [title: string, lines: readonly string[]]

function describeEarliness(ms: number): string {
  if (ms === 0) return 'as late as can be'
  return `${renderDuration(Math.round(ms / 1000))} early on this machine`
}

/**
 * Describes in one line the destinations of outcomes, and in further lines the problems of the settings and the reason of the last failure.
 * Empty if no destination is set.
 */
async function describeOutcomes(host: Located, resolved: ResolvedOptions, deadline: Deadline): Promise<string[]> {
  if (!hasOutcomes(resolved)) return []
  const { settings, problems } = parseOutcomeSettings(resolved)
  const headersProblem = await checkHeadersFile(settings, host.home, deadline)
  const all = [
    ...problems,
    // A problem with the file of headers is also the reason why the last sending failed.
    ...(settings.endpoint === undefined ? [] : [headersProblem ?? (await checkSending('otlp', host, deadline))]),
    ...(settings.systemLog ? [await checkSending('log', host, deadline)] : []),
  ]
  const found = all.filter((problem) => problem !== undefined)
  return [describeDestinations(settings), ...found.map((problem) => `problem: ${problem}`)]
}

type Located = Pick<Host, 'env' | 'home' | 'platform'>

function describeContexts(
  host: Host,
  call: Call,
  { request, refresh }: { readonly request: TokenRequest; readonly refresh: Refresh | undefined },
): string[] {
  const end = `ends by itself after ${call.deadline.limit.seconds} s`
  return [describeContext(host, call), ...(refresh ? [describeRefresh(host, refresh, request)] : []), end]
}

function describeContext(host: Host, { context }: Call): string {
  const value = host.env[vendor.contextVariable]
  const origin = value
    ? `${vendor.contextVariable} is ${JSON.stringify(value)}`
    : `${vendor.contextVariable} is not set`
  return `${context} (${origin}); ${isPromptAllowed(context) ? 'a person may be asked' : 'nobody is asked'}`
}

/** Describes the cause of a refresh, and the evidence for it. */
function describeRefresh(
  { clock, env }: Host,
  { cause, heldSince, isRepeated }: Refresh,
  { clientTtlSec }: Pick<TokenRequest, 'clientTtlSec'>,
): string {
  if (detectStatedCause(env)) return `${cause}: ${refreshCauseVariable} says so`
  const client = `the process that runs this (${observeParentProcessId()})`
  if (heldSince === undefined) return `${cause}: ${client} has not been handed a token, as far as is known`
  if (isRepeated) return `${cause}: ${client} has asked for the same refresh a moment ago`
  const seconds = Math.round((clock.startedAt - heldSince) / 1000)
  return `${cause}: ${client} was handed a token ${seconds} s ago, and client-ttl is ${clientTtlSec} s`
}

async function describeSecond(host: Host, { run, served, request, plan }: ServedSecond): Promise<ExplainedPart[]> {
  const { helper, resolved, call } = run
  const [path, ...details] = await describeCache(host, call, { request, served, plan })
  return [
    ['second helper', [call.program]],
    ['options of the second', describeOptions(resolved)],
    ['uses of the second', await describeUses(helper, plan)],
    ['second token', [...describeToken(host, served), `kept in the cache: ${path}`, ...details]],
  ]
}

/** Checks the file of headers here, because otherwise only the sending process reads it. */
async function checkHeadersFile(
  { endpoint, headersFile }: OutcomeSettings,
  home: string,
  deadline: Deadline,
): Promise<string | undefined> {
  if (endpoint === undefined || headersFile === undefined) return undefined
  const path = expandHome(headersFile, home)
  try {
    await deadline.during('file', `reading ${path}`, () => readHeadersFile(path))
    return undefined
  } catch (error) {
    if (error instanceof HelperError)
      return `otlp-headers-file: ${error.message}; ${error.hint}; the collector is not told`
    throw error
  }
}

async function checkSending(
  destination: 'otlp' | 'log',
  host: Located,
  deadline: Deadline,
): Promise<string | undefined> {
  const directory = locateCacheDirectory(host)
  const failure = await deadline.during('cache', directory, () => readLastFailure(directory, destination))
  if (failure === undefined) return undefined
  return `the last sending failed, at ${new Date(failure.time).toISOString()}: ${failure.message}; ${failure.hint}`
}

function describeDestinations({ systemLog, endpoint }: OutcomeSettings): string {
  const collector = endpoint === undefined ? [] : [`the collector ${new URL(endpoint).host}`]
  const all = [...(systemLog ? ['the log of the system'] : []), ...collector]
  return `told to ${all.join(' and ') || 'nobody'}`
}
