import type { Part } from './examination.ts'
import type { ExchangeCheck, Verdict } from './exchange-check.ts'

const marks: Readonly<Record<Verdict, string>> = { unmet: '✗', unseen: '?', met: '✓' }

/** What is wrong first, then what only the platform knows, then what is right. */
const order: readonly Verdict[] = ['unmet', 'unseen', 'met']

/** Why a platform may not have exchanged an identity token, from everything it asks. */
export function describeExchange(checks: readonly ExchangeCheck[]): Part {
  const ranked = order.flatMap((verdict) => checks.filter((check) => check.verdict === verdict))
  const lines = ranked.map(({ what, verdict, says }) => `${marks[verdict]} ${what}: ${says}`)
  const [first] = ranked
  if (first?.verdict === 'unmet')
    return { part: 'exchange', outcome: 'bad', lines, ...(first.way !== undefined && { hint: first.way }) }
  const hint =
    first?.verdict === 'unseen'
      ? 'have whoever runs the platform compare the lines with ? with the federation rule, and look the request up; for a gateway of your own, add its state: --db FILE'
      : 'run it again: what it asks for now would be taken'
  return { part: 'exchange', outcome: 'note', lines, hint }
}

/** The same checks, those that somebody knows better replaced by what they know; what only they know comes last. */
export function settleChecks(seen: readonly ExchangeCheck[], known: readonly ExchangeCheck[]): ExchangeCheck[] {
  const better = seen.map((check) =>
    check.verdict === 'unmet' ? check : (known.find(({ what }) => what === check.what) ?? check),
  )
  return [...better, ...known.filter(({ what }) => !seen.some((check) => check.what === what))]
}
