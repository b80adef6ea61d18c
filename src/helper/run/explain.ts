import { isPromptAllowed } from '../../contract/context.ts'
import type { Headers } from '../../contract/headers.ts'
import { toIndentedLine } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import { locateCacheDirectory } from '../../runtime/private/locate-cache.ts'
import { vendor } from '../../vendor.ts'
import { toCacheFilePath } from '../cache/directory.ts'
import type { Call } from '../define-helper.ts'
import type { ServedToken } from '../mint/cached-call.ts'
import { describeOptions } from '../options/describe.ts'
import type { ResolvedOptions } from '../options/resolve.ts'

/** What is known of a call that is explained. */
interface Explained {
  readonly program: string
  readonly call: Call
  readonly resolved: ResolvedOptions
  /** What the token is made from, one step a line. */
  readonly uses: readonly string[]
  readonly served: ServedToken
  readonly headers: Headers
  readonly key: string
}

/** What `--explain` prints of a call, without the token and without the values of headers. */
export function renderExplanation(host: Host, explained: Explained): string {
  const { program, call, resolved, uses, served, headers, key } = explained
  const names = Object.keys(headers)
  const sections: [title: string, lines: readonly string[]][] = [
    ['context', [contextLine(host, call), `ends by itself after ${call.deadline.limit.seconds} s`]],
    ['options', describeOptions(resolved)],
    ['uses', uses],
    ['token', [`from ${served.origin}`, lifeLine(host, served), ...factLines(served)]],
    ['headers', names.length > 0 ? names : ['none']],
    [
      'cache',
      [cacheLine(explained, toCacheFilePath({ directory: locateCacheDirectory(host), program, key }, 'entry'))],
    ],
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

function cacheLine({ resolved, served }: Explained, path: string): string {
  if (resolved.get('cache')?.value === 'none') return 'not used'
  return served.expiresAt ? path : 'a token with no known end is not stored'
}
