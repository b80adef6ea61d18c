import { InvalidArgumentError } from 'commander'
import { isRuleId, type RuleId, ruleIds } from '../../client/check/rules/rules.ts'
import { limits } from '../../contract/limits.ts'

/** One more rule, for an option that may be repeated. */
export function addRule(text: string, earlier: readonly RuleId[] = []): readonly RuleId[] {
  if (isRuleId(text)) return [...earlier, text]
  throw new InvalidArgumentError(`there is no such rule. Rules: ${ruleIds.join(', ')}.`)
}

/** A number of seconds above 0. */
export function parseSeconds(text: string): number {
  const seconds = Number(text)
  if (/^[\d.]+$/.test(text) && seconds > 0) return seconds
  throw new InvalidArgumentError('expected a number of seconds above 0.')
}

/** Far beyond any check; timers end at some weeks. */
const longestLimitSec = 86_400

/** As long as a check may take. */
export function parseLimit(text: string): number {
  const seconds = parseSeconds(text)
  if (seconds <= longestLimitSec) return seconds
  throw new InvalidArgumentError('a check takes a day at most.')
}

/** As long as a document may ask a client to wait. */
export function parseTimeout(text: string): number {
  const seconds = parseSeconds(text)
  if (seconds <= limits.timeoutSec) return seconds
  throw new InvalidArgumentError(`a client waits ${limits.timeoutSec} s at most.`)
}
