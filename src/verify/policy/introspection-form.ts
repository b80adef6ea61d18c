import * as z from 'zod'
import { isObject, type RawObject } from '../../runtime/values/json-value.ts'
import { createPolicyFinding, type PolicyFinding, type PolicyProblem } from './finding.ts'
import { policyDefaults, policyLimits } from './limits.ts'
import type { IntrospectionSettings, PolicyRule } from './policy.ts'
import { listObjects } from './unchecked-form.ts'
import { validateFileName, validateUrl } from './validate-text.ts'

const text = z.string().min(1).max(1000)

/** The form of `introspection` of an issuer. */
export const introspectionShape = z.strictObject({
  url: toExamined(validateEndpoint).describe('its introspection endpoint (RFC 7662)'),
  clientId: text.describe('the client that the verifier is there'),
  secretFile: toExamined(validateSecretFile).describe('the name of the file that holds the secret of this client'),
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

/** The members that a trust has for introspection. */
export function toIntrospection(form: z.output<typeof introspectionShape> | undefined): {
  readonly introspection?: IntrospectionSettings
} {
  return form ? { introspection: form } : {}
}

/** The member that a rule has for it. */
export function toRuleIntrospection(
  form: z.output<typeof ruleIntrospectionShape> | undefined,
): Pick<PolicyRule, 'introspection'> {
  return form === 'skipped' ? { introspection: form } : {}
}

/** Finds rules that speak of an introspection that there is not. */
export function validateIntrospection(file: RawObject): PolicyFinding[] {
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
  return problem && { ...problem, hint: 'write the secret into a file, and name the file in secretFile' }
}

/** The problem of the name of a file in the directory of secrets. */
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

function toExamined(find: (text: string) => PolicyProblem | undefined): z.ZodString {
  return text.check((context) => {
    const problem = find(context.value)
    if (problem) context.issues.push({ code: 'custom', input: context.value, params: { problem } })
  })
}
