// The file of cases for `gatepass gateway policy test`: its form, and how it is read.

import * as z from 'zod'
import { refusalReasons } from '../../../contract/refusal-reasons.ts'
import { describeNearest } from '../../../runtime/text/nearest-name.ts'
import type { RawObject } from '../../../runtime/values/json-value.ts'
import { locateFindings, type Positions } from '../../../runtime/values/position.ts'
import { parseObjectFile } from '../../../verify/policy/parse-object-file.ts'
import type { Policy } from '../../../verify/policy/policy.ts'
import { createPolicyFinding, type PolicyFinding, type PolicyProblem } from '../../../verify/policy/policy-finding.ts'
import { createSchema, rateShape, schemaMember } from '../../../verify/policy/policy-shape.ts'
import { listPolicyHeaders } from '../../../verify/policy/recipe-terms.ts'
import { reportIssues, withExamination } from '../../../verify/policy/report-issues.ts'
import { detectKind } from '../../../verify/verifier/token-kind.ts'
import { findIdentity, type SupposedAnswer } from './trial.ts'

const name = z.string().min(1).max(200)

const fact = z.string().min(1).max(4096).optional()

const expectation = z.strictObject({
  rule: name.describe('the name of the rule that lets it pass').optional(),
  headers: z.record(name, z.string()).describe('beside rule: every header that is not empty, by its name').optional(),
  limit: rateShape.describe('beside rule: how often its owner may pass').optional(),
  refused: withExamination(name, validateReason)
    .meta({ enum: Object.keys(refusalReasons) })
    .describe('in place of rule: the reason for which it is refused, such as no-rule')
    .optional(),
})

const policyCase = z.strictObject({
  name: name.describe('the case in words, each once'),
  claims: z
    .looseObject({})
    .describe('claims with iss, or what `aws sts get-caller-identity` prints; only the rules are tested')
    .optional(),
  token: z
    .string()
    .min(1)
    .describe('in place of claims: a JWT, which is verified by the keys of the policy')
    .optional(),
  now: z.iso
    .datetime({ offset: true, error: 'expected a time such as "2026-11-28T09:00:00Z"' })
    .describe('beside token: when it is verified; now by default')
    .optional(),
  request: z
    .strictObject({ host: fact, method: fact, path: fact, model: fact })
    .describe('the request that the token comes with, as the gateway describes it; nothing is known of it by default')
    .optional(),
  provider: z
    .enum(['active', 'inactive', 'unavailable'] satisfies SupposedAnswer[])
    .describe('what the provider says of the token, which is not asked; active by default')
    .optional(),
  expect: expectation.describe('how it ends'),
})

/** The form of a file with cases for a policy. */
const casesShape = z.strictObject({
  $schema: schemaMember,
  cases: z.array(policyCase).min(1).max(10_000).describe('whom the policy lets pass, and whom not'),
})

/** A person or program, and the expected decision of the policy. */
export type PolicyCase = z.output<typeof policyCase>

/** The result of reading a file with cases. */
export interface CasesReading {
  /** `undefined` if a finding is an error. */
  readonly cases: readonly PolicyCase[] | undefined
  readonly findings: readonly PolicyFinding[]
  readonly positions: Positions
}

/** Parses cases, a JSON object in UTF-8. Never throws, and never repeats a value, because it may be a token. */
export function parseCases(bytes: Uint8Array, policy: Policy): CasesReading {
  const { value, findings, positions } = parseObjectFile(bytes, { noun: 'file with cases', levels: 10 })
  if (value === undefined) return { cases: undefined, findings, positions }
  const parsed = casesShape.safeParse(value)
  const ofMeaning = parsed.success
    ? validateCases(parsed.data.cases, policy)
    : reportIssues(parsed.error.issues, value, casesShape)
  const all = locateFindings([...findings, ...ofMeaning], positions)
  const isWrong = all.some(({ severity }) => severity === 'error')
  return { cases: isWrong ? undefined : parsed.data?.cases, findings: all, positions }
}

function validateReason(reason: string): PolicyProblem | undefined {
  if (Object.hasOwn(refusalReasons, reason)) return undefined
  const others = 'write no-rule, issuer, audience, expired, signature or another one of docs/gateways/verifier.md'
  const hint = describeNearest(reason, Object.keys(refusalReasons), others)
  return { code: 'invalid-value', message: 'no token is refused for such a reason', hint }
}

function validateCases(cases: readonly PolicyCase[], policy: Policy): PolicyFinding[] {
  const names = new Set<string>()
  return cases.flatMap((each, index) => {
    const path = `cases[${index}]`
    const again = names.has(each.name)
      ? [createPolicyFinding('duplicate-case', `${path}.name`, 'another case has this name', 'choose another one')]
      : []
    names.add(each.name)
    return [...again, ...validateSubject(each, path, policy), ...validateExpectation(each.expect, path, policy)]
  })
}

function validateSubject({ claims, token, now }: PolicyCase, path: string, policy: Policy): PolicyFinding[] {
  const report = (at: string, message: string, hint: string) => [
    createPolicyFinding('case-unusable', at, message, hint),
  ]
  if (claims && token !== undefined)
    return report(path, 'it has claims and a token', 'make two cases of it: one has claims, one has token')
  if (claims) return now === undefined ? validateClaims(claims, path) : report(`${path}.now`, ...timeUnused)
  if (token === undefined) return report(path, 'it is about nobody', 'add claims or a token')
  if (detectKind(token, policy) === 'aws-identity')
    return report(
      `${path}.token`,
      'only AWS STS can verify a proof of an AWS identity, and only while it is fresh',
      'write its owner in place of it: claims with what `aws sts get-caller-identity` prints',
    )
  return []
}

const timeUnused = ['claims are compared with no time', 'remove it, or write a token in place of claims'] as const

function validateClaims(claims: RawObject, path: string): PolicyFinding[] {
  if (findIdentity(claims)) return []
  const hint = 'add iss, or for an AWS identity write what `aws sts get-caller-identity` prints'
  return [createPolicyFinding('case-unusable', `${path}.claims`, 'they have neither iss nor Arn', hint)]
}

function validateExpectation(expected: PolicyCase['expect'], casePath: string, policy: Policy): PolicyFinding[] {
  const path = `${casePath}.expect`
  const { rule, headers, refused } = expected
  if ((rule === undefined) === (refused === undefined)) {
    const message = rule === undefined ? 'it says no outcome' : 'it says two outcomes'
    const hint =
      rule === undefined ? 'add the rule that lets it pass, or refused with a reason' : 'keep rule or refused'
    return [createPolicyFinding('case-unusable', path, message, hint)]
  }
  const beside = headers ? 'headers' : 'limit'
  if (rule === undefined && expected[beside]) {
    const message = `whoever is refused has no ${beside}`
    return [createPolicyFinding('case-unusable', `${path}.${beside}`, message, 'remove it')]
  }
  const rules = policy.rules.map((each) => each.name)
  const known = listPolicyHeaders(policy)
  const strange = Object.keys(headers ?? {}).find((header) => !known.includes(header.toLowerCase()))
  return [
    ...(rule === undefined || rules.includes(rule) ? [] : [reportUnknown('rule', `${path}.rule`, rule, rules)]),
    ...(strange === undefined ? [] : [reportUnknown('header', `${path}.headers`, strange, known)]),
  ]
}

function reportUnknown(what: 'rule' | 'header', path: string, given: string, known: readonly string[]): PolicyFinding {
  const others = known.length === 0 ? 'it has none' : `it has ${known.slice(0, 10).join(', ')}`
  const hint = describeNearest(given, known, `see the policy: ${others}`)
  return createPolicyFinding(`unknown-${what}`, path, `the policy has no such ${what}`, hint)
}

/** Creates a JSON Schema (2020-12) of a file with cases, for editors. */
export function createCasesSchema(): Readonly<Record<string, unknown>> {
  return createSchema(casesShape, 'Cases for the policy of a verifier')
}
