import { isPromptAllowed } from '../../contract/context.ts'
import type { Headers } from '../../contract/headers.ts'
import { toIndentedLine } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import { locateCacheDirectory } from '../../runtime/private/locate-cache.ts'
import { vendor } from '../../vendor.ts'
import { toCacheFilePath } from '../cache/directory.ts'
import type { AnyHelper, Call, Plan } from '../define-helper.ts'
import type { ServedToken, TokenRequest } from '../mint/cached-call.ts'
import { describeOptions } from '../options/describe.ts'
import type { ResolvedOptions } from '../options/resolve.ts'
import { describeOutcomes } from '../outcome/describe-outcomes.ts'
import type { ServedSecond } from '../second/served-pair.ts'
import { describeRenewal } from './describe-renewal.ts'

/** What is known of a call that is explained. */
interface Explained {
  readonly call: Call
  readonly resolved: ResolvedOptions
  readonly helper: AnyHelper
  readonly plan: Plan
  readonly served: ServedToken
  readonly headers: Headers
  readonly request: TokenRequest
  readonly second: ServedSecond | undefined
}

/** What `--explain` prints of a call, without the token and without the values of headers. */
export async function renderExplanation(host: Host, explained: Explained): Promise<string> {
  const { call, headers, resolved, request, second } = explained
  const served = second?.first ?? explained.served
  const names = Object.keys(headers)
  const outcomes = await describeOutcomes(host, resolved, call.deadline)
  const sections: Section[] = [
    ['context', [contextLine(host, call), `ends by itself after ${call.deadline.limit.seconds} s`]],
    ['options', describeOptions(resolved)],
    ['uses', await describeUses(explained)],
    ['token', tokenLines(host, served)],
    ...(second ? await secondSections(host, second) : []),
    ['headers', names.length > 0 ? names : ['none']],
    ['cache', await cacheLines(host, { call, request, served })],
    ...(outcomes.length === 0 ? [] : [['outcomes', outcomes] satisfies Section]),
  ]
  return sections
    .map(([title, lines]) => `${title}\n${lines.map((line) => `  ${toIndentedLine(line)}\n`).join('')}`)
    .join('')
}

function contextLine(host: Host, { context }: Call): string {
  const value = host.env[vendor.contextVariable]
  const origin = value
    ? `${vendor.contextVariable} is ${JSON.stringify(value)}`
    : `${vendor.contextVariable} is not set`
  return `${context} (${origin}); ${isPromptAllowed(context) ? 'a person may be asked' : 'nobody is asked'}`
}

function lifeLine(host: Host, { expiresAt }: ServedToken): string {
  if (!expiresAt) return 'has no known end'
  return `lives ${Math.floor((expiresAt.getTime() - host.clock.now()) / 1000)} s, until ${expiresAt.toISOString()}`
}

function factLines({ facts }: ServedToken): string[] {
  return Object.entries(facts).map(([name, value]) => `${name}: ${value}`)
}

/** Where a token is kept, and from when on it is renewed. A cache that cannot be read has been reported before. */
async function cacheLines(
  host: Host,
  { call, request, served }: Pick<Explained, 'call' | 'request' | 'served'>,
): Promise<string[]> {
  const { cache, program, key } = request
  if (cache === 'none') return ['not used']
  if (!served.expiresAt) return ['a token with no known end is not stored']
  const location = { directory: locateCacheDirectory(host), program, key }
  const path = toCacheFilePath(location, cache === 'keychain' ? 'sealed' : 'entry')
  const reading = () => describeRenewal(location, request)
  const renewal = await call.deadline.during('cache', `reading ${path}`, reading).catch(() => undefined)
  return renewal === undefined ? [path] : [path, renewal]
}

type Section = [title: string, lines: readonly string[]]

async function secondSections(host: Host, { unplanned, served, request, plan }: ServedSecond): Promise<Section[]> {
  const { program, helper, resolved, call } = unplanned
  const [path, renewal = []] = await cacheLines(host, { call, request, served })
  return [
    ['second helper', [program]],
    ['options of the second', describeOptions(resolved)],
    ['uses of the second', await describeUses({ helper, plan })],
    ['second token', [...tokenLines(host, served), `kept in the cache: ${path}`].concat(renewal)],
  ]
}

function tokenLines(host: Host, served: ServedToken): string[] {
  return [`from ${served.origin}`, lifeLine(host, served), ...factLines(served)]
}

/** What a token is made from, one step a line. */
async function describeUses({ helper, plan }: Pick<Explained, 'helper' | 'plan'>): Promise<readonly string[]> {
  return (await helper.explain?.(plan)) ?? plan.steps
}
