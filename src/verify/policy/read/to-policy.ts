import { signatureAlgorithmNames } from '../../../contract/signature-algorithms.ts'
import { parseClaimPath } from '../claim-path.ts'
import type { PolicyForm } from '../form/shape.ts'
import { parseHeaderTemplate } from '../header-template.ts'
import type { AwsTrust, ClaimCondition, JsonWebKeySet, JwtTrust, Policy, PolicyRule } from '../policy.ts'

/** A file without errors as what a verifier uses. */
export function toPolicy(form: PolicyForm, keySets: ReadonlyMap<string, JsonWebKeySet>): Policy {
  return {
    jwt: form.issuers.map((issuer) => toTrust(issuer, keySets)),
    aws: form.aws && toAwsTrust(form.aws),
    rules: form.rules.map(toRule),
    clockSkewSec: form.clockSkewSec,
  }
}

function toTrust(
  { keys, algorithms, types, longestLifeSec, longestAgeSec, ...trust }: PolicyForm['issuers'][number],
  keySets: ReadonlyMap<string, JsonWebKeySet>,
): JwtTrust {
  return {
    ...trust,
    keys: toKeys(keys, keySets),
    algorithms: algorithms ?? signatureAlgorithmNames,
    ...(types && { types }),
    ...(longestLifeSec !== undefined && { longestLifeSec }),
    ...(longestAgeSec !== undefined && { longestAgeSec }),
  }
}

function toKeys(
  keys: PolicyForm['issuers'][number]['keys'],
  keySets: ReadonlyMap<string, JsonWebKeySet>,
): JwtTrust['keys'] {
  if (keys?.url !== undefined) return { url: keys.url }
  if (keys?.file !== undefined) return { inline: keySets.get(keys.file) ?? { keys: [] } }
  // Public keys, of which the key type alone was looked at: whoever uses one finds out whether it can be imported.
  return keys?.inline ? { inline: keys.inline as unknown as JsonWebKeySet } : 'discovered'
}

function toAwsTrust({ audience, audienceHeader, prefix, ...trust }: NonNullable<PolicyForm['aws']>): AwsTrust {
  return {
    ...trust,
    audience: audience === 'none' ? 'none' : { header: audienceHeader.toLowerCase(), value: audience },
    prefix: prefix === 'none' ? '' : prefix,
  }
}

function toRule({ name, issuer, aws, claims = {}, headers, use }: PolicyForm['rules'][number]): PolicyRule {
  const ofAws = Object.entries({ account: aws?.accounts, role: aws?.roles, arn: aws?.arns })
  return {
    name,
    identities: issuer === undefined ? 'aws' : { issuer },
    conditions: [...ofAws, ...Object.entries(claims)].flatMap(([claim, patterns]) => toCondition(claim, patterns)),
    headers: Object.entries(headers).map(([header, value]) => ({
      name: header.toLowerCase(),
      value: parseHeaderTemplate(value) ?? [],
    })),
    use,
  }
}

function toCondition(name: string, patterns: readonly string[] | undefined): ClaimCondition[] {
  const claim = parseClaimPath(name)
  return claim && patterns ? [{ claim, patterns }] : []
}
