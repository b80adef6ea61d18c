import type { Finding } from '../finding.ts'
import { severities } from '../finding.ts'
import type { ReadResult } from '../read/document.ts'
import { helperScriptRules } from './helper-script.ts'
import { inferenceRules } from './inference.ts'
import { oidcRules } from './oidc.ts'
import { releaseRules } from './release.ts'
import { type CheckOptions, type Rule, subjectOf } from './rule.ts'

/** Everything to know about a document: what reading it found and what its values mean together, the worst first. */
export function checkDocument(reading: ReadResult, options: CheckOptions = {}): Finding[] {
  const subject = subjectOf(reading, options)
  return sortFindings([...reading.findings, ...(subject ? rules.flatMap((rule) => rule(subject)) : [])])
}

const rules: readonly Rule[] = [...inferenceRules, ...helperScriptRules, ...oidcRules, ...releaseRules]

const order = severities.map(({ severity }) => severity)

/** The worst first; findings of one severity stay in their order. */
export function sortFindings(findings: readonly Finding[]): Finding[] {
  return findings.toSorted((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity))
}
