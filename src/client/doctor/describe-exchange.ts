import type { Part } from './examination.ts'
import type { CheckStatus, ExchangeCheck } from './exchange-check.ts'

const marks: Readonly<Record<CheckStatus, string>> = { unmet: '✗', unknown: '?', met: '✓' }

/** What is wrong first, then what only the platform knows, then what is right. */
const order: readonly CheckStatus[] = ['unmet', 'unknown', 'met']

/** Why a platform may not have exchanged an identity token, from everything it asks. */
export function describeExchange(checks: readonly ExchangeCheck[]): Part {
  const ranked = order.flatMap((status) => checks.filter((check) => check.status === status))
  const lines = ranked.map(({ what, status, message }) => `${marks[status]} ${what}: ${message}`)
  const [first] = ranked
  if (first?.status === 'unmet')
    return { part: 'exchange', outcome: 'bad', lines, ...(first.hint !== undefined && { hint: first.hint }) }
  const hint =
    first?.status === 'unknown'
      ? 'have whoever runs the platform compare the lines with ? with the federation rule, and look the request up; for a gateway of your own, add its state: --db FILE'
      : 'run it again: what it asks for now would be taken'
  return { part: 'exchange', outcome: 'note', lines, hint }
}

/** The same checks, those that somebody knows better replaced by what they know; what only they know comes last. */
export function mergeChecks(own: readonly ExchangeCheck[], known: readonly ExchangeCheck[]): ExchangeCheck[] {
  const better = own.map((check) =>
    check.status === 'unmet' ? check : (known.find(({ what }) => what === check.what) ?? check),
  )
  return [...better, ...known.filter(({ what }) => !own.some((check) => check.what === what))]
}
