import type { RawObject } from '../../../runtime/json/json-value.ts'
import { locateFindings } from '../../../runtime/json/position.ts'
import { createPolicyFinding, type PolicyFinding } from '../finding.ts'
import { policyShape } from '../form/shape.ts'
import type { Policy } from '../policy.ts'
import { type KeyFile, listNamedFiles, parseKeyFiles } from './key-files.ts'
import { parseObjectFile } from './parse-object-file.ts'
import { reportIssues } from './report-issues.ts'
import { toPolicy } from './to-policy.ts'
import { validateAws } from './validate-aws.ts'
import { validateHeaderCount } from './validate-headers.ts'
import { validateIssuers } from './validate-issuers.ts'
import { validateRules } from './validate-rules.ts'

/** A policy file, read. */
export interface PolicyReading {
  /** `undefined` where a finding is an error. */
  readonly policy: Policy | undefined
  /** Everything that is wrong with it, in the order of the file; of very much the beginning. */
  readonly findings: readonly PolicyFinding[]
}

/**
 * Reads a policy: a JSON object in UTF-8. Never throws, and never repeats a value, for it may be a secret that is there by mistake.
 * @param keyFiles The content of each file that {@link listKeyFiles} names.
 */
export function parsePolicy(bytes: Uint8Array, keyFiles: ReadonlyMap<string, KeyFile> = new Map()): PolicyReading {
  const { value, findings, positions } = parseObjectFile(bytes)
  if (value === undefined) return { policy: undefined, findings }
  const parsed = policyShape.safeParse(value)
  const { keySets, findings: ofKeys } = parseKeyFiles(listNamedFiles(value), keyFiles)
  const issues = parsed.success ? [] : reportIssues(parsed.error.issues, value)
  const all = [...findings, ...issues, ...validateMeaning(value), ...ofKeys]
  const isWrong = all.some(({ severity }) => severity === 'error')
  return {
    policy: isWrong || !parsed.success ? undefined : toPolicy(parsed.data, keySets),
    findings: dropMost(locateFindings(all, positions).toSorted(compareLines)),
  }
}

/** The names of files beside a policy that hold keys; none where it cannot be read. */
export function listKeyFiles(bytes: Uint8Array): string[] {
  const { value } = parseObjectFile(bytes)
  return [...new Set(value && listNamedFiles(value).map(({ name }) => name))]
}

function validateMeaning(file: RawObject): PolicyFinding[] {
  return [...validateIssuers(file), ...validateAws(file), ...validateRules(file), ...validateHeaderCount(file)]
}

function compareLines(a: PolicyFinding, b: PolicyFinding): number {
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0)
}

/** A file that is no policy at all may have a hundred thousand of them. */
const mostFindings = 200

function dropMost(findings: readonly PolicyFinding[]): readonly PolicyFinding[] {
  const dropped = findings.slice(mostFindings)
  if (dropped.length === 0) return findings
  const message = `${dropped.length} more findings are left out`
  return [...findings.slice(0, mostFindings), createPolicyFinding('left-out', '', message, 'correct these first')]
}
