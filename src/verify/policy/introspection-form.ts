// The part of a policy file about introspection: its form, and what the form cannot express.

import * as z from 'zod'
import { isObject, type RawObject } from '../../runtime/values/json-value.ts'
import type { IntrospectionSettings } from './policy.ts'
import { createPolicyFinding, type PolicyFinding, type PolicyProblem } from './policy-finding.ts'
import { policyDefaults, policyLimits } from './policy-limits.ts'
import { withExamination } from './report-issues.ts'
import { listObjects } from './unchecked-form.ts'
import { validateFileName, validateUrl } from './validate-text.ts'

const text = z.string().min(1).max(policyLimits.textLength)

/** The form of `introspection` of an issuer. */
export const introspectionShape = z.strictObject({
  url: withExamination(text, validateEndpoint).describe('its introspection endpoint (RFC 7662)'),
  clientId: text.describe('the client that the verifier is there'),
  secretFile: withExamination(text, validateSecretFile)
    .describe('the name of the file that holds the secret of this client')
    .optional(),
  keyFile: withExamination(text, validateSecretFile)
    .describe('in place of a secret, the name of the file with the private key by which this client signs assertions')
    .optional(),
  answers: z.enum(['plain', 'signed']).default('plain').describe('signed if its answers have to be signed (RFC 9701)'),
  opaqueTokens: z
    .enum(['refused', 'asked'])
    .default('refused')
    .describe('asked if it is asked about tokens that are not JWTs; one issuer of a policy can be'),
  cacheSec: z
    .int()
    .min(0)
    .max(policyLimits.introspectionSec)
    .default(policyDefaults.introspectionSec)
    .describe('how long a token passes without asking again; 0 to ask for each request'),
  whileUnavailable: z
    .enum(['refuse', 'pass'])
    .default('refuse')
    .describe('what becomes of its tokens while the provider gives no good answer'),
})

/** The form of `introspection` of a rule. */
export const ruleIntrospectionShape = z
  .enum(['required', 'skipped'])
  .describe(
    'whether the provider is asked about tokens that pass by this rule; required if its issuer has introspection',
  )

/** Turns the form of a file into the settings of introspection. */
export function toIntrospection(form: z.output<typeof introspectionShape>): IntrospectionSettings {
  const { secretFile, keyFile, ...settings } = form
  const proof = { kind: keyFile === undefined ? 'secret' : 'key', file: keyFile ?? secretFile ?? '' } as const // validated: exactly one is set
  return { ...settings, proof }
}

/**
 * Finds clients without a proof or with two proofs, more than one provider of opaque tokens, and `introspection` of a rule whose issuer has
 * none.
 */
export function validateIntrospection(file: RawObject): PolicyFinding[] {
  return [...validateProofs(file), ...validateOpaqueTokens(file), ...validateRuleIntrospection(file)]
}

function validateProofs(file: RawObject): PolicyFinding[] {
  return listIntrospections(file).flatMap(([path, { secretFile, keyFile }]) => {
    if (secretFile === undefined && keyFile === undefined) {
      const message = 'nothing proves to the provider who the client is'
      const hint = 'name a file with its secret, or one with its private key in keyFile'
      return [createPolicyFinding('required-missing', `${path}.secretFile`, message, hint)]
    }
    if (secretFile === undefined || keyFile === undefined) return []
    const message = 'the client proves who it is by a secret or by a key, not by both'
    return [createPolicyFinding('invalid-value', `${path}.keyFile`, message, 'keep secretFile or keyFile')]
  })
}

/** An opaque token does not name its issuer, so only one provider can be asked about it. */
function validateOpaqueTokens(file: RawObject): PolicyFinding[] {
  const asked = listIntrospections(file).filter(([, { opaqueTokens }]) => opaqueTokens === 'asked')
  const message = 'another issuer is asked about tokens that are not JWTs already, and these do not say whose they are'
  return asked
    .slice(1)
    .map(([path]) => createPolicyFinding('invalid-value', `${path}.opaqueTokens`, message, 'keep it in one issuer'))
}

function listIntrospections(file: RawObject): [path: string, introspection: RawObject][] {
  return listObjects(file.issuers).flatMap(([index, { introspection }]) =>
    isObject(introspection) ? [[`issuers[${index}].introspection`, introspection]] : [],
  )
}

function validateRuleIntrospection(file: RawObject): PolicyFinding[] {
  const issuers = listObjects(file.issuers)
  return listObjects(file.rules).flatMap(([index, { issuer, aws, introspection }]) => {
    if (introspection === undefined) return []
    const path = `rules[${index}].introspection`
    if (aws !== undefined) {
      const message = 'AWS STS is always asked about a proof of an AWS identity'
      return [createPolicyFinding('introspection-missing', path, message, 'remove it')]
    }
    const [at, entry] = issuers.find(([, each]) => each.issuer === issuer) ?? []
    if (at === undefined || isObject(entry?.introspection)) return []
    const hint = `add introspection to issuers[${at}], or remove it here`
    return [createPolicyFinding('introspection-missing', path, 'its issuer has no introspection', hint)]
  })
}

function validateEndpoint(address: string): PolicyProblem | undefined {
  const problem = validateUrl(address)
  if (problem?.code === 'insecure-url')
    return { ...problem, message: 'over plain http anybody on the network could read the tokens and the secret' }
  if (!problem || URL.parse(address)?.username === '') return problem
  return { ...problem, hint: 'write the secret into a file, and name the file in secretFile' }
}

/** Finds the problem of the name of a file in the directory of secrets. */
function validateSecretFile(name: string): PolicyProblem | undefined {
  const problem = validateFileName(name)
  return (
    problem && {
      ...problem,
      message: 'it is not the name of a file',
      hint: 'put the secret into a file of the directory that --provider-secrets names, and write the name of the file alone',
    }
  )
}
