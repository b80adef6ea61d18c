import { clientDefaults } from '../../contract/limits.ts'
import { renderDuration } from '../duration.ts'
import type { TokenFacts } from '../token/token-facts.ts'
import type { Part } from './examination.ts'

export interface TokenStanding {
  readonly facts: TokenFacts
  readonly headerNames: readonly string[]
  /** How long the client will keep it, by default as the client does; 0 for a key that nobody obtains again. */
  readonly ttlSec?: number | undefined
  /** Epoch milliseconds. */
  readonly now: number
}

/** What is known of a token without showing it. */
export function describeToken({ facts, headerNames, ttlSec = clientDefaults.ttlSec, now }: TokenStanding): Part {
  const names = headerNames.map((name) => `${name}: ***`)
  const lines = [
    `${kindOf(facts)}, ${facts.bytes} bytes`,
    names.length === 0 ? 'no headers beside it' : `headers beside it: ${names.join(', ')}`,
  ]
  if (!facts.end) return { part: 'token', outcome: 'good', lines: [...lines, 'it does not say how long it lives'] }
  const leftSec = Math.floor((facts.end.at - now) / 1000)
  const end = `${new Date(facts.end.at).toISOString()} (${facts.end.source})`
  if (leftSec <= 0)
    return {
      part: 'token',
      outcome: 'bad',
      lines: [...lines, `its life was over at ${end}`],
      hint: 'look for a cache in the helper that prints dead tokens again, and at this clock',
    }
  const life = `it lives for another ${renderDuration(leftSec)}, until ${end}`
  if (leftSec + slackSec >= ttlSec) return { part: 'token', outcome: 'good', lines: [...lines, life] }
  return {
    part: 'token',
    outcome: 'note',
    lines: [...lines, life, `the client keeps it for ${renderDuration(ttlSec)}`],
    hint: `set ttlSec to ${Math.max(1, leftSec)} or less, or have the helper ask for a longer life`,
  }
}

/** A run and a request take a moment themselves. */
const slackSec = 60

function kindOf({ bedrock, end }: TokenFacts): string {
  if (bedrock) return 'a short-term Bedrock API key'
  return end?.source === 'JWT exp' ? 'a JWT' : 'a token that says nothing of itself'
}
