// Holds the form of `rollout.json`, and parses it; `read-rollout.ts` reads the whole folder.

import * as z from 'zod'
import { operatingSystems } from '../config/check/rule.ts'
import { isRelease } from '../config/define-field.ts'
import { textFormats } from '../config/field.ts'
import type { Finding } from '../config/finding.ts'
import { servedAuthentications } from '../config/parse-value.ts'
import { locateFindings, noPositions, type Positions } from '../runtime/values/position.ts'
import { parseObjectFile } from '../verify/policy/parse-object-file.ts'
import { duplicateNameHint, type PolicyProblem } from '../verify/policy/policy-finding.ts'
import { policyLimits } from '../verify/policy/policy-limits.ts'
import { claimsSummary, createSchema, schemaMember } from '../verify/policy/policy-shape.ts'
import { reportIssues, withExamination } from '../verify/policy/report-issues.ts'
import { validateClaimName, validatePattern } from '../verify/policy/validate-text.ts'
import { groupName, isRising, others, precedence, releaseLimits, usualWaves, waveShares } from './release.ts'

/** The name of the file that defines groups and waves. */
export const rolloutFile = 'rollout.json'

/** The severities of the findings of `bootstrap check`, besides those of a policy's form and of a document. */
const rolloutSeverities = {
  'file-unreadable': 'error',
  'file-outside': 'error',
  'too-many-files': 'error',
  'duplicate-group': 'error',
  'group-of-everybody': 'error',
  'waves-unordered': 'error',
  'group-hidden': 'error',
  'groups-overlap-unordered': 'error',
  'combinations-too-many': 'error',
  'nobody-served': 'error',
  'secret-in-release': 'error',
  'personal-value-wrong': 'error',
  'document-too-long': 'error',
  'issuer-missing': 'warning',
  'issuer-untrusted': 'warning',
  'field-lost': 'warning',
  'overlay-unused': 'warning',
  'overlay-without-effect': 'warning',
  'value-overridden': 'warning',
  'expiry-written': 'warning',
  'field-gained': 'info',
} as const satisfies Record<string, Finding['severity']>

/** A finding about a file of a rollout. */
export interface RolloutFinding extends Finding<string> {
  /** The file, as its path in the folder. */
  readonly file: string
}

/** Creates a finding with the severity of its code. It never repeats a value. */
export function createRolloutFinding(
  code: keyof typeof rolloutSeverities,
  { file, ...position }: Pick<RolloutFinding, 'file' | 'path' | 'line' | 'column'>,
  message: string,
  hint: string,
): RolloutFinding {
  return { file, code, severity: rolloutSeverities[code], message, hint, ...position }
}

const text = z.string().min(1).max(policyLimits.textLength)
const fileName = text.describe('a JSON file in this folder')
const pattern = withExamination(text.max(policyLimits.patternLength), validatePattern)
const claimName = withExamination(text, validateClaimName)

const group = z.strictObject({
  name: groupName.describe('for logs, metrics and tables'),
  issuer: text
    .describe('whose tokens it is for, or aws for AWS identities; any that the policy lets pass by default')
    .optional(),
  claims: z.record(claimName, z.array(pattern).min(1).max(policyLimits.patterns)).describe(claimsSummary),
  overlays: z
    .array(fileName)
    .min(1)
    .max(releaseLimits.overlays)
    .describe('JSON Merge Patches (RFC 7396), applied in this order'),
  choice: groupName
    .describe('of the groups with the same choice, a person is in one: that which takes precedence')
    .optional(),
  precedence: precedence
    .describe('the group with the higher number wins; needed where two groups can have the same person')
    .optional(),
})

const client = z.strictObject({
  release: withExamination(text, validateRelease).describe('such as 1.14271.0').optional(),
  systems: z
    .array(z.enum(operatingSystems))
    .min(1)
    .default([...operatingSystems]),
})

const rolloutShape = z.strictObject({
  $schema: schemaMember,
  base: fileName.default('base.json').describe('the document that everybody gets'),
  groups: z.array(group).max(releaseLimits.groups).default([]).describe('who gets which overlays'),
  others: others.default('base').describe('what people get who are in no group'),
  subject: claimName
    .default('sub')
    .describe('the claim that names a person: a stable one, such as oid, and no address'),
  singleValued: z
    .array(claimName)
    .default([])
    .describe(
      'claims that have one value in every token, so that groups with different values have no person in common',
    ),
  waves: waveShares.default([...usualWaves]).describe('the part of the people, in percent, that each wave reaches'),
  pilot: z
    .array(text)
    .max(releaseLimits.pilot)
    .default([])
    .describe('the people who get a release first, by the claim of subject'),
  clients: z
    .array(client)
    .min(1)
    .default([{ systems: [...operatingSystems] }])
    .describe('the releases and systems in use, for which every document is checked'),
  served: z
    .strictObject({
      url: withExamination(text, validateServedUrl).describe('the address that clients get their document from'),
      authentication: z
        .enum(servedAuthentications)
        .describe(
          'external-idp if bootstrapOidc is set on the devices; otherwise baseUrl has to share the origin of url',
        ),
    })
    .optional(),
})

function validateRelease(release: string): PolicyProblem | undefined {
  if (isRelease(release)) return undefined
  return {
    code: 'invalid-value',
    message: 'it is not the number of a release',
    hint: 'write whole numbers with dots between them',
  }
}

function validateServedUrl(url: string): PolicyProblem | undefined {
  if (URL.parse(url)?.protocol === 'https:') return undefined
  return {
    code: 'invalid-value',
    message: 'it is not an address that clients ask',
    hint: textFormats.uri.hint,
  }
}

/** The validated content of `rollout.json`. */
export type Rollout = z.output<typeof rolloutShape>

/** A group of people with their overlays. */
export type RolloutGroup = Rollout['groups'][number]

/** The result of reading `rollout.json`; `rollout` is `undefined` if a finding is an error. */
interface RolloutReading {
  readonly rollout: Rollout | undefined
  readonly findings: readonly RolloutFinding[]
  readonly positions: Positions
}

/** Parses `rollout.json`. Never throws, and never repeats a value. */
export function parseRollout(bytes: Uint8Array): RolloutReading {
  const { value, findings, positions } = parseObjectFile(bytes, { noun: 'rollout', levels: 5 })
  if (value === undefined)
    return { rollout: undefined, findings: findings.map(toRolloutFinding), positions: noPositions }
  const { data, error } = rolloutShape.safeParse(value)
  const issues = error ? reportIssues(error.issues, value, rolloutShape) : []
  const found = [...[...findings, ...issues].map(toRolloutFinding), ...(data ? validateMeaning(data) : [])]
  const isWrong = found.some(({ severity }) => severity === 'error')
  return { rollout: isWrong ? undefined : data, findings: locateFindings(found, positions), positions }
}

/** Creates a JSON Schema (2020-12) of the form, for editors. */
export function createRolloutSchema(): Readonly<Record<string, unknown>> {
  return createSchema(rolloutShape, 'Who gets which configuration document')
}

function toRolloutFinding(finding: Finding<string>): RolloutFinding {
  return { file: rolloutFile, ...finding }
}

/** Finds problems that the shape cannot express. */
function validateMeaning({ groups, waves }: Rollout): RolloutFinding[] {
  const names = groups.map(({ name }) => name)
  const at = (path: string) => ({ file: rolloutFile, path })
  const again = groups.flatMap(({ name }, index) =>
    names.indexOf(name) === index
      ? []
      : [
          createRolloutFinding(
            'duplicate-group',
            at(`groups[${index}].name`),
            'another group has this name',
            duplicateNameHint,
          ),
        ],
  )
  const open = groups.flatMap(({ claims }, index) =>
    Object.keys(claims).length > 0
      ? []
      : [
          createRolloutFinding(
            'group-of-everybody',
            at(`groups[${index}].claims`),
            'everybody is in it',
            'add a claim, or write what everybody gets into the base document',
          ),
        ],
  )
  const order = createRolloutFinding(
    'waves-unordered',
    at('waves'),
    'waves grow, and the last one reaches everybody',
    `write rising numbers that end with 100, such as [${usualWaves.join(', ')}]`,
  )
  return [...again, ...open, ...(isRising(waves) ? [] : [order])]
}
