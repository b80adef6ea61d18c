import { clientDefaults } from '../../contract/limits.ts'
import type { HeaderToken } from '../../runtime/tokens/header-tokens.ts'
import type { TokenFacts } from '../../runtime/tokens/token-facts.ts'
import { renderDuration } from '../duration.ts'
import type { Part } from '../examination.ts'

/** A token with everything by which it is described. */
interface ExaminedToken {
  readonly facts: TokenFacts
  readonly headerNames: readonly string[]
  /** Headers that carry a token of their own, with what it states. */
  readonly others?: readonly HeaderToken[]
  /** How long the client keeps the token; the client's default if absent, 0 for a key that is never renewed. */
  readonly ttlSec?: number | undefined
  /** Epoch milliseconds. */
  readonly now: number
}

/** Describes a token without showing it, and those that headers beside it carry; pure. */
export function describeToken({ others = [], ...examined }: ExaminedToken): Part {
  const first = describeFirst(examined)
  const parts = others.map(({ name, facts }) => describeOther(name, { ...examined, facts }))
  const worst = parts.find(({ outcome }) => outcome === 'bad') ?? parts.find(({ outcome }) => outcome === 'note')
  const lines = [...first.lines, ...parts.flatMap((part) => part.lines)]
  if (!worst || first.outcome === 'bad' || (first.outcome === 'note' && worst.outcome === 'note'))
    return { ...first, lines }
  return { ...first, ...worst, lines }
}

/** The end of a second token, which the client keeps as long as the first. */
function describeOther(name: string, examined: ExaminedToken): Part {
  const { lines, ...rest } = describeFirst({ ...examined, headerNames: [] })
  const [kind = '', , ...life] = lines
  return { ...rest, lines: [`in ${name}: ${[kind, ...life].join('; ')}`] }
}

function describeFirst({ facts, headerNames, ttlSec = clientDefaults.ttlSec, now }: ExaminedToken): Part {
  const names = headerNames.map((name) => `${name}: ***`)
  const lines = [
    `${kindOf(facts)}, ${facts.bytes} bytes`,
    names.length === 0 ? 'no headers beside it' : `headers beside it: ${names.join(', ')}`,
  ]
  if (facts.longTermKey !== undefined)
    return {
      part: 'token',
      outcome: 'note',
      lines: [...lines, 'it works for whoever holds it, until somebody deletes it'],
      hint: 'use short-term keys: they are made of the credentials of a person or role, and end with them',
    }
  if (!facts.end) return { part: 'token', outcome: 'good', lines: [...lines, 'it does not say when it expires'] }
  const leftSec = Math.floor((facts.end.at - now) / 1000)
  const end = `${new Date(facts.end.at).toISOString()} (${facts.end.source})`
  if (leftSec <= 0)
    return {
      part: 'token',
      outcome: 'bad',
      lines: [...lines, `it expired at ${end}`],
      hint: 'check whether the helper caches expired tokens, and check the clock of this machine',
    }
  const life = `it is valid for another ${renderDuration(leftSec)}, until ${end}`
  if (leftSec + slackSec >= ttlSec) return { part: 'token', outcome: 'good', lines: [...lines, life] }
  return {
    part: 'token',
    outcome: 'note',
    lines: [...lines, life, `the client keeps it for ${renderDuration(ttlSec)}`],
    hint: `set ttlSec to ${Math.max(1, leftSec)} or less, or have the helper request a longer lifetime`,
  }
}

/** The run and the request take some time too. */
const slackSec = 60

function kindOf({ awsKey, longTermKey, end }: TokenFacts): string {
  if (awsKey) return `a short-term ${awsKey.service.key}`
  if (longTermKey !== undefined) return `a long-term ${longTermKey}`
  if (end?.source === 'AWS X-Amz-Date') return 'a proof of an AWS identity (GetCallerIdentity)'
  return end?.source === 'JWT exp' ? 'a JWT' : 'an opaque token'
}
