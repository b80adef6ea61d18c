import type { Part, PartOutcome } from '../examination.ts'

/** The conclusion of an examination: whether a turn goes through, and what a person does about it. */
export interface TurnVerdict {
  /** Whether a turn of the client goes through; `not sent` if no turn was tried. */
  readonly turn: 'succeeds' | 'fails' | 'not sent'
  /** The one thing that decides it. */
  readonly cause: string
  /** The way out, in the imperative; absent if there is nothing to do. */
  readonly hint?: string
}

/**
 * Chooses the one thing that decides whether a turn goes through; pure. This machine's clock comes before everything that it
 * spoils. Otherwise the helper's own words come before what was found out about it afterwards.
 */
export function chooseVerdict(parts: readonly Part[]): TurnVerdict {
  const bad = parts.filter(({ outcome }) => outcome === 'bad')
  const worst =
    bad.find(({ isClock }) => isClock) ?? order.flatMap((name) => bad.filter(({ part }) => part === name))[0]
  const said = worst && { cause: toCause(worst), ...(worst.hint !== undefined && { hint: worst.hint }) }
  if (hasAnswered(parts)) return { turn: 'succeeds', ...(said ?? { cause: 'the gateway answered it' }) }
  if (said) return { turn: beforeTurn.has(worst.part) ? 'not sent' : 'fails', ...said }
  const left = parts.find(({ outcome, hint }) => outcome === 'not examined' && hint !== undefined)
  if (left) return { turn: 'not sent', cause: toCause(left), ...(left.hint !== undefined && { hint: left.hint }) }
  return {
    turn: 'not sent',
    cause: 'the document names no gateway with a credential for it',
    hint: 'set inference.provider to "gateway", inference.baseUrl and inference.credential',
  }
}

/** If several parts are bad, the first of these is the cause. */
const order: readonly Part['part'][] = [
  ...(['device', 'server', 'server-sign-in'] as const),
  ...(['document', 'helper', 'exchange', 'run', 'provider', 'sign-in', 'gateway', 'token'] as const),
  ...(['identity', 'installation', 'clock'] as const),
]

/** Parts without which no turn is tried. */
const beforeTurn: ReadonlySet<Part['part']> = new Set(['device', 'server', 'server-sign-in', 'document'])

function toCause({ cause, lines }: Part): string {
  return cause ?? lines[0]?.replace(/^[✗!?✓] /, '') ?? ''
}

/** Whether the gateway has answered a turn. */
export function hasAnswered(parts: readonly Part[]): boolean {
  return parts.some(({ part, outcome }) => part === 'gateway' && (outcome === 'good' || outcome === 'note'))
}

/** The parts that explain a credential. */
const explaining: readonly Part['part'][] = ['identity', 'exchange', 'token', 'clock']

/** Returns the parts. If a turn has just succeeded, those that explain a credential are no longer called bad. Pure. */
export function toConsistent(parts: readonly Part[]): Part[] {
  if (!hasAnswered(parts)) return [...parts]
  const soften = (part: Part['part'], outcome: PartOutcome) =>
    outcome === 'bad' && explaining.includes(part) ? 'note' : outcome
  return parts.map((part) => ({ ...part, outcome: soften(part.part, part.outcome) }))
}
