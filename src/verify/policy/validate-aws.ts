import { accountPattern } from '../../contract/aws/caller-identity.ts'
import { describeNearest } from '../../runtime/text/nearest-name.ts'
import { parseClaimPath } from '../../runtime/tokens/claim-path.ts'
import { type RawObject, toObject } from '../../runtime/values/json-value.ts'
import { joinPath } from '../../runtime/values/position.ts'
import { listTemplateClaims, parseHeaderTemplate } from './header-template.ts'
import { createPolicyFinding, type PolicyFinding } from './policy-finding.ts'
import { listObjects, listTexts, toText } from './unchecked-form.ts'
import { validateHeaderName } from './validate-header.ts'

/** Validates the policy's member `aws`. */
export function validateAws(file: RawObject): PolicyFinding[] {
  if (file.aws === undefined) return []
  const { audience, audienceHeader } = toObject(file.aws)
  const isUsed = listObjects(file.rules).some(([, { aws }]) => aws !== undefined)
  const unused = createPolicyFinding(
    'aws-unused',
    'aws',
    'no rule is for AWS identities, so their proofs are refused',
    'add a rule with aws, or remove it',
  )
  const unsigned = createPolicyFinding(
    'audience-unsigned',
    'aws.audience',
    'a proof for any other server passes here too, and whoever receives one there can use it here',
    'name this gateway, and give the same name to the helper as --audience',
  )
  const problem = toText(audienceHeader) === undefined ? undefined : validateHeaderName(String(audienceHeader))
  return [
    ...(isUsed ? [] : [unused]),
    ...(audience === 'none' ? [unsigned] : []),
    ...(problem
      ? [
          createPolicyFinding(
            problem.code,
            'aws.audienceHeader',
            problem.message,
            'remove it, or write the one that the helper has',
          ),
        ]
      : []),
  ]
}

/** The claims of an AWS identity (`Identity.claims`). */
const awsClaims = ['arn', 'account', 'user_id', 'partition', 'role', 'session'] as const

/** Validates a rule for AWS identities. It must name the account, because anybody can create a role of any name in their own account. */
export function validateAwsRule(rule: RawObject, path: string, file: RawObject): PolicyFinding[] {
  const missing = createPolicyFinding(
    'aws-missing',
    `${path}.aws`,
    'no proof of an AWS identity is accepted',
    'add aws with an audience, beside rules',
  )
  const everyone = createPolicyFinding(
    'everyone-contradicted',
    `${path}.everyone`,
    'it is for rules with an issuer',
    'remove it; for all of AWS write "everyAccount": true into aws',
  )
  return [
    ...(file.aws === undefined ? [missing] : []),
    ...(rule.everyone === undefined ? [] : [everyone]),
    ...validateAccounts(rule, path),
    ...validateArns(listTexts(toObject(rule.aws).arns), `${path}.aws.arns`),
    ...validateArns(listTexts(toObject(rule.claims).arn), `${path}.claims.arn`),
    ...listUnknownClaims(rule, path),
  ]
}

function validateAccounts(rule: RawObject, path: string): PolicyFinding[] {
  const aws = toObject(rule.aws)
  const claims = toObject(rule.claims)
  const isNarrow =
    aws.accounts !== undefined ||
    [aws.arns, claims.arn].some((list) => isEach(list, /^arn:[a-z-]+:(sts|iam)::\d{12}:/)) ||
    isEach(claims.account, accountPattern)
  const at = `${path}.aws`
  if (!isNarrow && aws.everyAccount === undefined)
    return [
      createPolicyFinding(
        'every-account-unsaid',
        at,
        'it lets identities of every AWS account pass, including accounts of strangers, who can give their roles any name',
        'add accounts, or say that this is meant: "everyAccount": true',
      ),
    ]
  if (!isNarrow || aws.everyAccount === undefined) return []
  return [
    createPolicyFinding(
      'everyone-contradicted',
      `${at}.everyAccount`,
      'it says every account, and names some',
      'keep one of the two',
    ),
  ]
}

function isEach(list: unknown, form: RegExp): boolean {
  const texts = listTexts(list)
  return texts.length > 0 && texts.every((text) => form.test(text))
}

/** AWS STS names an assumed role by its session: `arn:aws:sts::111122223333:assumed-role/NAME/SESSION`. */
function validateArns(patterns: readonly string[], path: string): PolicyFinding[] {
  return patterns.flatMap((pattern, index) => {
    const at = `${path}[${index}]`
    if (/^arn:[^:]*:iam:[^:]*:[^:]*:role\//.test(pattern))
      return [
        createPolicyFinding(
          'arn-never-seen',
          at,
          'AWS STS names no identity in this way',
          'write arn:aws:sts::ACCOUNT:assumed-role/NAME/*, or name the role in roles',
        ),
      ]
    if (/^[*a]/.test(pattern)) return []
    return [
      createPolicyFinding(
        'arn-never-seen',
        at,
        'no ARN begins in this way',
        'write arn:aws:sts::ACCOUNT:assumed-role/NAME/*',
      ),
    ]
  })
}

function listUnknownClaims({ claims, headers }: RawObject, path: string): PolicyFinding[] {
  const conditions = Object.keys(toObject(claims)).map((name) => [name, joinPath(`${path}.claims`, name)] as const)
  const fills = Object.entries(toObject(headers)).flatMap(([header, value]) =>
    listTemplateClaims(parseHeaderTemplate(toText(value) ?? '') ?? []).map(
      ({ claim }) => [claim.text, joinPath(`${path}.headers`, header)] as const,
    ),
  )
  return [...conditions, ...fills].flatMap(([name, at]) => {
    if (!parseClaimPath(name) || awsClaims.some((known) => known === name)) return []
    const hint = describeNearest(name, awsClaims, `use ${awsClaims.join(', ')}`)
    return [createPolicyFinding('unknown-claim', at, 'an AWS identity has no such claim', hint)]
  })
}
