import { locateFindings } from '../../runtime/json/position.ts'
import type { Finding } from '../finding.ts'
import { severities } from '../finding.ts'
import type { ReadResult } from '../read/document.ts'
import { baseUrlRules } from './base-url.ts'
import { expiryRules } from './expiry.ts'
import { helperScriptRules } from './helper-script.ts'
import { inferenceRules } from './inference.ts'
import { oidcRules } from './oidc.ts'
import { referrerHostRules } from './referrer-hosts.ts'
import { releaseRules } from './release.ts'
import { type CheckOptions, type Rule, toSubject } from './rule.ts'

/** All findings about a document: those of reading it, and those of the rules about its fields together; the worst first. */
export function checkDocument(result: ReadResult, options: CheckOptions = {}): Finding[] {
  const subject = toSubject(result, options)
  const found = subject ? rules.flatMap((rule) => rule(subject)) : []
  return sortFindings([...result.findings, ...locateFindings(found, result.positions)])
}

const rules: readonly Rule[] = [
  ...expiryRules,
  ...baseUrlRules,
  ...inferenceRules,
  ...helperScriptRules,
  ...oidcRules,
  ...referrerHostRules,
  ...releaseRules,
]

const order = severities.map(({ severity }) => severity)

/** Findings with the worst first; findings of one severity keep their order. */
export function sortFindings(findings: readonly Finding[]): Finding[] {
  return findings.toSorted((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity))
}
