import { findNearestName } from '../../runtime/text/nearest-name.ts'
import { isObject, type RawObject, toObject } from '../../runtime/values/json-value.ts'
import { joinPath } from '../../runtime/values/position.ts'
import { createPolicyFinding, duplicateNameHint, type PolicyFinding } from './policy-finding.ts'
import { listObjects, toText } from './unchecked-form.ts'
import { validateAwsRule } from './validate-aws.ts'
import { isNarrow, validateCoverage, validateOrder } from './validate-coverage.ts'
import { validateHeaders } from './validate-header.ts'
import { dropFinalSlash } from './validate-text.ts'

/** Finds problems of rules that the shape cannot express. */
export function validateRules(file: RawObject): PolicyFinding[] {
  const rules = listObjects(file.rules)
  const names = rules.map(([, { name }]) => toText(name))
  const findings = rules.flatMap(([index, rule], order) => {
    const path = `rules[${index}]`
    const isAgain = names[order] !== undefined && names.indexOf(names[order]) < order
    const again = createPolicyFinding('duplicate-rule', `${path}.name`, 'another rule has this name', duplicateNameHint)
    return [
      ...(isAgain ? [again] : []),
      ...validateRule(rule, path, file),
      ...validateRequest(rule, path),
      ...validateHeaders(rule, path),
    ]
  })
  const isEmpty = Array.isArray(file.rules) && file.rules.length === 0
  const nobody = createPolicyFinding('no-rules', 'rules', 'nobody passes without a rule', 'add a rule')
  return isEmpty ? [nobody] : [...findings, ...validateOrder(file)]
}

function validateRule(rule: RawObject, path: string, file: RawObject): PolicyFinding[] {
  const { issuer, aws } = rule
  if ((issuer === undefined) === (aws === undefined)) {
    const message = issuer === undefined ? 'it is for nobody' : 'it is for an issuer and for AWS'
    const hint = issuer === undefined ? 'add issuer or aws' : 'make two rules of it: one has issuer, one has aws'
    return [createPolicyFinding('rule-of-nobody', path, message, hint)]
  }
  if (aws !== undefined) return validateAwsRule(rule, path, file)
  return [
    ...validateIssuerName(toText(issuer), path, file),
    ...validateEveryone(rule, path),
    ...validateClaims(rule, path),
    ...validateCoverage(rule, path),
  ]
}

/** Reports an empty `request`: its author may have meant to narrow the rule. */
function validateRequest({ request }: RawObject, path: string): PolicyFinding[] {
  if (!isObject(request) || Object.keys(request).length > 0) return []
  const hint = 'add hosts, methods, paths or models, or remove it'
  return [createPolicyFinding('invalid-value', `${path}.request`, 'it asks for nothing', hint)]
}

function validateIssuerName(name: string | undefined, path: string, file: RawObject): PolicyFinding[] {
  const known = listObjects(file.issuers).flatMap(([index, { issuer }]) =>
    typeof issuer === 'string' ? { index, issuer } : [],
  )
  const names = known.map(({ issuer }) => issuer)
  if (name === undefined || names.includes(name)) return []
  const near = names.find((other) => dropFinalSlash(other) === dropFinalSlash(name)) ?? findNearestName(name, names)
  const index = known.find(({ issuer }) => issuer === near)?.index
  const hint = index === undefined ? 'add it to issuers' : `write it exactly as issuers[${index}].issuer`
  return [createPolicyFinding('unknown-issuer', `${path}.issuer`, 'issuers has no such issuer', hint)]
}

function validateEveryone({ claims, everyone }: RawObject, path: string): PolicyFinding[] {
  const isNarrowRule = isNarrow(claims)
  if (everyone === undefined && !isNarrowRule)
    return [
      createPolicyFinding(
        'everyone-unsaid',
        path,
        'it lets everyone pass to whom the issuer gives a token for this audience',
        'add claims with patterns that not every token has, or say that this is meant: "everyone": true',
      ),
    ]
  if (everyone === undefined || !isNarrowRule) return []
  const message = 'it says everyone, and has claims that not everyone has'
  return [createPolicyFinding('everyone-contradicted', `${path}.everyone`, message, 'keep one of the two')]
}

/** Usual claims of providers, to find misspelled names. A provider may have any other claim. */
const usualClaims = [
  'sub',
  'email',
  'email_verified',
  'groups',
  'roles',
  'name',
  'preferred_username',
  'scope',
  'repository',
  'tenant',
]

function validateClaims({ claims }: RawObject, path: string): PolicyFinding[] {
  const names = Object.keys(toObject(claims))
  const misspelled = names.flatMap((name) => {
    const near = usualClaims.includes(name) || name.length < 4 ? undefined : findNearestName(name, usualClaims)
    const at = joinPath(`${path}.claims`, name)
    const message = 'no provider is known to have this claim'
    return near && hasSameLetters(name, near)
      ? [createPolicyFinding('claim-misspelled', at, message, `did you mean "${near}"?`)]
      : []
  })
  if (!names.includes('email') || names.includes('email_verified')) return misspelled
  const message = 'some providers let a person state any address'
  const hint = 'where the provider has email_verified, add "email_verified": ["true"]'
  return [...misspelled, createPolicyFinding('email-unverified', `${path}.claims.email`, message, hint)]
}

/** Returns whether both names have the same letters. Other similar names, such as `role`, can be claims themselves. */
function hasSameLetters(name: string, near: string): boolean {
  return [...name].toSorted().join('') === [...near].toSorted().join('')
}
