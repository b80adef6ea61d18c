// The form of a policy file: which members it has, and of which type each is.

import * as z from 'zod'
import { accountPattern } from '../../contract/aws/caller-identity.ts'
import { partitions } from '../../contract/aws/partitions.ts'
import { isSignatureAlgorithm, signatureAlgorithmNames } from '../../contract/signature-algorithms.ts'
import { describeNearest } from '../../runtime/text/nearest-name.ts'
import { introspectionShape, ruleIntrospectionShape } from './introspection-form.ts'
import type { PolicyProblem } from './policy-finding.ts'
import { policyDefaults, policyLimits } from './policy-limits.ts'
import { withExamination } from './report-issues.ts'
import { validateHostPattern, validateMethod, validatePathPattern } from './request-condition.ts'
import { resourceShape, scopesShape } from './resource-form.ts'
import { validateHeaderName, validateMapName, validateTemplate } from './validate-header.ts'
import { validateClaimName, validateFileName, validatePattern, validateUrl } from './validate-text.ts'

const text = z.string().min(1).max(policyLimits.textLength)
const seconds = z.int().min(1).max(policyLimits.lifeSec)
const partitionIds = partitions.map(({ id }) => id)

const pattern = withExamination(text.max(policyLimits.patternLength), validatePattern)
const patterns = z.array(pattern).min(1).max(policyLimits.patterns)

const keys = z.strictObject({
  url: withExamination(text, validateUrl).describe('the address of its key set').optional(),
  file: withExamination(text, validateFileName)
    .describe('the name of a file beside this one that holds its key set')
    .optional(),
  inline: z
    .looseObject({ keys: z.array(z.looseObject({})).min(1).max(policyLimits.keys) })
    .describe('its key set itself (RFC 7517)')
    .optional(),
})

const issuer = z.strictObject({
  issuer: text.describe('compared with the claim iss, character by character'),
  audiences: z.array(text).min(1).max(policyLimits.audiences).describe('one of them has to be in the claim aud'),
  keys: keys.describe('where its keys are, if not where its discovery document says').optional(),
  algorithms: z
    .array(withExamination(text, validateAlgorithm).meta({ enum: [...signatureAlgorithmNames] }))
    .min(1)
    .describe('by which its tokens may be signed; all of these by default')
    .optional(),
  types: z
    .array(text)
    .min(1)
    .describe('the values of typ that are accepted, such as at+jwt; any by default')
    .optional(),
  boundTo: z
    .array(z.enum(['certificate', 'key']))
    .min(1)
    .max(2)
    .describe('its tokens have to be bound to one of these, by the claim cnf; bearer tokens are accepted by default')
    .optional(),
  longestLifeSec: seconds.describe('how long a token may live, from iat to exp').optional(),
  longestAgeSec: seconds.describe('how long ago a token may have been issued').optional(),
  eventAudiences: z
    .array(text)
    .min(1)
    .max(policyLimits.audiences)
    .describe('the audiences of its logout tokens and security events, which are refused by default')
    .optional(),
  introspection: introspectionShape
    .describe('its provider is asked whether its tokens are active; it is not by default')
    .optional(),
})

const aws = z.strictObject({
  audience: text.describe('the name of this gateway that is signed into each proof; none for proofs without'),
  audienceHeader: text.default(policyDefaults.audienceHeader).describe('the signed header that holds it'),
  prefix: text.default(policyDefaults.prefix).describe('what stands before a proof; none for nothing'),
  partitions: z
    .array(z.enum(partitionIds))
    .min(1)
    .default([...policyDefaults.partitions])
    .describe('the parts of AWS whose STS is asked'),
  longestAgeSec: z
    .int()
    .min(1)
    .max(policyLimits.awsAgeSec)
    .default(policyDefaults.awsAgeSec)
    .describe('how long ago a proof may have been signed'),
})

const awsRule = z.strictObject({
  accounts: z
    .array(z.string().regex(accountPattern, 'expected an account of twelve digits'))
    .min(1)
    .max(policyLimits.patterns)
    .describe('the accounts, of twelve digits')
    .optional(),
  everyAccount: z.literal(true).describe('in place of accounts: all that AWS has, also those of strangers').optional(),
  roles: patterns.describe('names of roles').optional(),
  arns: patterns.describe('ARNs as AWS STS names them').optional(),
})

const toPatterns = (validate: (text: string) => PolicyProblem | undefined) =>
  z
    .array(withExamination(text.max(policyLimits.patternLength), validate))
    .min(1)
    .max(policyLimits.patterns)

const request = z.strictObject({
  hosts: toPatterns(validateHostPattern).describe('patterns of the host, in lower case and without a port').optional(),
  methods: toPatterns(validateMethod).describe('methods, such as POST').optional(),
  paths: toPatterns(validatePathPattern).describe('patterns of the path, without the query').optional(),
  models: patterns.describe('patterns of the name of the model').optional(),
})

const count = z.int().min(1).max(policyLimits.rateRequests)

/** The form of a request rate in a policy file, before {@link toRate} adds the burst. */
export const rateShape = z.strictObject({
  requests: count.describe('how many requests'),
  everySec: z.int().min(1).max(policyLimits.rateSec).describe('in how many seconds'),
  burst: count.describe('how many of them at once; as many as requests by default').optional(),
})

/** The form of the limits of a policy. */
const limitsShape = z.strictObject({
  callers: rateShape.describe('of each caller, by issuer and subject').optional(),
  addresses: rateShape.describe('of each client address, for requests without a good token').optional(),
})

/** The description of the claims that a rule, or a group of a rollout, requires. */
export const claimsSummary = 'by the name of a claim, patterns of which one has to match; * stands for any text'

const rule = z.strictObject({
  name: text.max(64).describe('for logs and metrics'),
  issuer: text.describe('for tokens of this issuer').optional(),
  aws: awsRule.describe('or for proofs of these AWS identities').optional(),
  claims: z.record(withExamination(text, validateClaimName), patterns).describe(claimsSummary).optional(),
  everyone: z
    .literal(true)
    .describe('in place of claims: everyone to whom the issuer gives a token for this audience')
    .optional(),
  scopes: scopesShape.optional(),
  request: request.describe('only for these requests, as far as the gateway describes them').optional(),
  headers: z
    .record(withExamination(text, validateHeaderName), withExamination(text, validateTemplate))
    .default({})
    .describe('by the name of a header, its value, in which {claim} is filled in'),
  use: z.enum(['many times', 'once']).default('many times').describe('how often one token passes'),
  limit: rateShape.describe('how often each caller passes by this rule, in place of limits.callers').optional(),
  introspection: ruleIntrospectionShape.optional(),
})

const valueMap = z.strictObject({
  names: z
    .record(pattern, z.string().min(1).max(policyLimits.nameLength))
    .describe('by the value of a claim, the name in its place'),
  unlisted: z
    .enum(['left out', 'refused'])
    .describe('what becomes of a value without a name: it is left out, or the rule does not hold'),
})

/** The member `$schema` of a file that people write: only editors read it. */
export const schemaMember = z.string().describe('where an editor finds this schema').optional()

/**
 * The form of a policy file. Rules about one value that zod cannot express are functions here; rules about several values are `validate…`.
 */
export const policyShape = z.strictObject({
  $schema: schemaMember,
  issuers: z.array(issuer).max(policyLimits.issuers).default([]).describe('the issuers of JWTs that are trusted'),
  aws: aws.describe('the proofs of AWS identities that are accepted').optional(),
  resource: resourceShape.describe('what is behind the gateway, for OAuth and MCP clients (RFC 9728)').optional(),
  rules: z.array(rule).max(policyLimits.rules).describe('who passes: the first rule that holds counts'),
  maps: z
    .record(withExamination(text.max(64), validateMapName), valueMap)
    .default({})
    .describe('by the name of a map, names for the values of claims; a header has them by {claim|map}'),
  clockSkewSec: z
    .int()
    .min(0)
    .max(policyLimits.clockSkewSec)
    .default(policyDefaults.clockSkewSec)
    .describe('by how much clocks may differ'),
  limits: limitsShape.describe('how often requests pass; as often as they come by default').optional(),
})

/** A policy file whose form is right. */
export type PolicyForm = z.output<typeof policyShape>

/** Finds why an algorithm is never accepted; `undefined` for an accepted one. */
function validateAlgorithm(name: string): PolicyProblem | undefined {
  if (isSignatureAlgorithm(name)) return undefined
  if (name.toLowerCase() === 'none')
    return reject('a token that is not signed proves nothing, so "none" is never accepted')
  if (/^HS\d+$/i.test(name))
    return reject('this algorithm has a shared key, with which everybody who verifies can also sign')
  const others = `name some of ${signatureAlgorithmNames.join(', ')}`
  return {
    code: 'invalid-value',
    message: 'it is not a known signature algorithm',
    hint: describeNearest(name.toUpperCase(), signatureAlgorithmNames, others),
  }
}

function reject(message: string): PolicyProblem {
  return {
    code: 'symmetric-algorithm',
    message,
    hint: `name the algorithm of the issuer's public keys, such as RS256 or ES256, or remove the list`,
  }
}

/** Creates a JSON Schema (2020-12) of the form, in which editors report misspelled keys and wrong types. */
export function createPolicySchema(): Readonly<Record<string, unknown>> {
  return createSchema(policyShape, 'What a verifier lets pass')
}

/** Creates a JSON Schema (2020-12) of a form, for editors. */
export function createSchema(shape: z.ZodType, title: string): Readonly<Record<string, unknown>> {
  const { $schema, ...schema } = z.toJSONSchema(shape, { io: 'input' })
  return { $schema, title, ...schema }
}
