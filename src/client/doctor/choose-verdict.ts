import type { Part, PartOutcome } from '../examination.ts'

/** The conclusion of an examination: whether a turn succeeds, and the way out. */
export interface TurnVerdict {
  /** Whether a turn of the client succeeds; `not sent` if no turn was tried. */
  readonly turn: 'succeeds' | 'fails' | 'not sent'
  /** The fact that decides it. */
  readonly cause: string
  /** The way out, in the imperative; absent if there is nothing to do. */
  readonly hint?: string | undefined
}

/**
 * Chooses the fact that decides whether a turn succeeds; pure. A wrong clock of this machine comes first, because it causes other failures.
 * The helper's own message comes before later findings about the helper.
 */
export function chooseVerdict(parts: readonly Part[]): TurnVerdict {
  const bad = parts.filter(({ outcome }) => outcome === 'bad')
  const worst =
    bad.find(({ isClock }) => isClock) ?? order.flatMap((name) => bad.filter(({ part }) => part === name))[0]
  const said = worst && { cause: toCause(worst), hint: worst.hint }
  if (hasAnswered(parts)) return { turn: 'succeeds', ...(said ?? { cause: 'the gateway answered it' }) }
  if (said) return { turn: beforeTurn.has(worst.part) ? 'not sent' : 'fails', ...said }
  const left = parts.find(({ outcome, hint }) => outcome === 'not examined' && hint !== undefined)
  if (left) return { turn: 'not sent', cause: toCause(left), hint: left.hint }
  return {
    turn: 'not sent',
    cause: 'the document names no gateway with a credential for it',
    hint: 'set inference.provider to "gateway", inference.baseUrl and inference.credential',
  }
}

/** The order of causes if several parts are bad. */
const order: readonly Part['part'][] = [
  ...(['device', 'server', 'server-sign-in'] as const),
  ...(['document', 'helper', 'exchange', 'run', 'provider', 'sign-in', 'gateway', 'token'] as const),
  ...(['identity', 'installation', 'clock'] as const),
]

/** Parts that must be good before a turn is tried. */
const beforeTurn: ReadonlySet<Part['part']> = new Set(['device', 'server', 'server-sign-in', 'document'])

function toCause({ cause, lines }: Part): string {
  return cause ?? lines[0]?.replace(/^[✗!?✓] /, '') ?? ''
}

export function hasAnswered(parts: readonly Part[]): boolean {
  return parts.some(({ part, outcome }) => part === 'gateway' && (outcome === 'good' || outcome === 'note'))
}

/** The parts that explain a credential. */
const explaining: readonly Part['part'][] = ['identity', 'exchange', 'token', 'clock']

/** Turns parts that explain a credential from bad to a remark if a turn has just succeeded; pure. */
export function toConsistent(parts: readonly Part[]): Part[] {
  if (!hasAnswered(parts)) return [...parts]
  const soften = (part: Part['part'], outcome: PartOutcome) =>
    outcome === 'bad' && explaining.includes(part) ? 'note' : outcome
  return parts.map((part) => ({ ...part, outcome: soften(part.part, part.outcome) }))
}
