import type { ClaimPath } from './claim-path.ts'

/** Why a rule does not hold. */
export interface Lack {
  readonly rule: string
  readonly claim: ClaimPath
  readonly why: 'not in the token' | 'no accepted value' | 'no text for a header' | 'too long for a header'
}

/** More would be no help to a person, and has to fit into a header. */
const mostNamed = 8

/**
 * What a caller is told, with the names of claims alone; and what the operator's log is told, with those of the rules.
 * @param tried How many rules there are for tokens of this issuer.
 */
export function describeLacks(lacks: readonly Lack[], tried: number): { detail: string; note: string } {
  if (tried === 0) return { detail: 'no rule is for this issuer', note: 'no rule is for this issuer' }
  const claims = lacks.map(({ claim, why }) => `${toVisible(claim.text)} (${why})`)
  const rules = lacks.map(({ rule, claim, why }) => `${toVisible(rule)}: ${toVisible(claim.text)} (${why})`)
  return { detail: `no rule accepts its claims: ${list(claims)}`, note: `no rule holds: ${list(rules)}` }
}

function list(words: readonly string[]): string {
  const different = [...new Set(words)]
  return `${different.slice(0, mostNamed).join(', ')}${different.length > mostNamed ? ', and others' : ''}`
}

/** Names of other scripts as in JSON, because headers and logs are ASCII. */
function toVisible(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
