import type { CommonOptions } from '../../../helper/options/table.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { identityLife, type WebIdentityRequest } from '../web-identity/web-identity.ts'
import type { IdentityTokenOptions } from './options.ts'

/** Limits of AWS's `GetWebIdentityToken`. AWS's documentation of that operation. */
const limits = { audiences: 10, audienceLength: 1000, tags: 50, tagNameLength: 128, tagValueLength: 256 } as const

/**
 * What the options ask of AWS.
 * @throws {HelperError} `usage` for what AWS would refuse; the message repeats no value.
 */
export function parseIdentityRequest(
  options: Pick<IdentityTokenOptions, 'audience' | 'algorithm' | 'lifetime' | 'tag' | 'exchange'> &
    Pick<CommonOptions, 'client-ttl'>,
): WebIdentityRequest {
  const { audience: audiences, algorithm, exchange, 'client-ttl': ttlSec } = options
  refuseAudiences(audiences)
  const { shortestSec, longestSec, exchangeSec } = identityLife
  const usualSec = exchange ? exchangeSec : Math.max(shortestSec, Math.min(2 * ttlSec, longestSec))
  return { audiences, algorithm, lifeSec: options.lifetime ?? usualSec, tags: parseTags(options.tag) }
}

function refuseAudiences(audiences: readonly string[]): void {
  const problem =
    audiences.length === 0 || audiences.length > limits.audiences
      ? `audience: ${audiences.length} are given`
      : audiences.some((text) => text === '' || text.length > limits.audienceLength)
        ? 'audience: one is empty or too long'
        : undefined
  if (problem === undefined) return
  const hint = `set 1 to ${limits.audiences}, each of at most ${limits.audienceLength} characters`
  throw new HelperError('usage', problem, hint)
}

function parseTags(texts: readonly string[]): WebIdentityRequest['tags'] {
  const tags = texts.map((text) => {
    const [name = '', ...value] = text.split('=')
    return [name, value.length === 0 ? undefined : value.join('=')] as const
  })
  const problem = findTagProblem(tags)
  if (problem === undefined) return tags.map(([name, value = '']) => [name, value])
  throw new HelperError(
    'usage',
    `tag: ${problem}`,
    `write each as 'NAME=VALUE', at most ${limits.tags}, with a name of at most ${limits.tagNameLength} and a value of at most ${limits.tagValueLength} characters`,
  )
}

function findTagProblem(tags: readonly (readonly [name: string, value: string | undefined])[]): string | undefined {
  if (tags.length > limits.tags) return `${tags.length} are given`
  if (tags.some(([name, value]) => name === '' || value === undefined)) return 'one has no name or no "="'
  if (tags.some(([name, value = '']) => name.length > limits.tagNameLength || value.length > limits.tagValueLength))
    return 'one is too long'
  return new Set(tags.map(([name]) => name)).size < tags.length ? 'two have the same name' : undefined
}
