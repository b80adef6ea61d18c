import { validateIssuer } from '../../contract/identity-providers/validate-provider.ts'
import { signatureAlgorithmNames } from '../../contract/signature-algorithms.ts'
import { quoteForHint } from '../../runtime/text/quote.ts'
import { parseClaimPath } from '../../runtime/tokens/claim-path.ts'
import type { JsonFileKind } from '../../runtime/values/json-text.ts'
import { isObject, omitUndefined, type RawObject } from '../../runtime/values/json-value.ts'
import { locateFindings } from '../../runtime/values/position.ts'
import { programName } from '../../version.ts'
import { parseHeaderTemplate, type ValueMaps } from './header-template.ts'
import { toIntrospection, validateIntrospection } from './introspection-form.ts'
import { type KeyFile, listNamedFiles, parseKeyFiles, toJsonWebKeySet, validateKeySet } from './key-files.ts'
import { parseObjectFile } from './parse-object-file.ts'
import type { AwsTrust, ClaimCondition, JsonWebKeySet, JwtTrust, Policy, PolicyRule } from './policy.ts'
import { createPolicyFinding, type PolicyFinding } from './policy-finding.ts'
import { type PolicyForm, policyShape } from './policy-shape.ts'
import { reportIssues } from './report-issues.ts'
import { toLimitSettings, toRate } from './request-rate.ts'
import { toProtectedResource, validateResource } from './resource-form.ts'
import { listObjects, toText } from './unchecked-form.ts'
import { validateAws } from './validate-aws.ts'
import { validateHeaderCount, validateMaps } from './validate-header.ts'
import { validateRules } from './validate-rules.ts'
import { dropFinalSlash, validateUrl } from './validate-text.ts'

/** The result of reading a policy file. */
export interface PolicyReading {
  /** `undefined` if a finding is an error. */
  readonly policy: Policy | undefined
  /** All findings in the order of the file, or the first {@link maxFindings}. */
  readonly findings: readonly PolicyFinding[]
}

/**
 * Parses a policy, a JSON object in UTF-8. Never throws, and never repeats a value, because a value may be a secret that was pasted by
 * mistake.
 * @param keyFiles The content of each file that {@link listKeyFiles} names.
 * @param path The path of the policy, for a hint.
 */
export function parsePolicy(
  bytes: Uint8Array,
  keyFiles: ReadonlyMap<string, KeyFile> = new Map(),
  path?: string,
): PolicyReading {
  const { value, findings, positions } = parseObjectFile(bytes, policyKind)
  if (value === undefined) return { policy: undefined, findings }
  if (isConfigurationDocument(value)) return { policy: undefined, findings: [reportConfigurationDocument(path)] }
  const parsed = policyShape.safeParse(value)
  const { keySets, findings: ofKeys } = parseKeyFiles(listNamedFiles(value), keyFiles)
  const issues = parsed.success ? [] : reportIssues(parsed.error.issues, value, policyShape)
  const all = [...findings, ...issues, ...validateMeaning(value), ...ofKeys]
  const isWrong = all.some(({ severity }) => severity === 'error')
  return {
    policy: isWrong || !parsed.success ? undefined : toPolicy(parsed.data, keySets),
    findings: dropMost(locateFindings(all, positions).toSorted(compareLines)),
  }
}

/** A client's document can be given by mistake: both files are JSON, and have a `check`. No key of a policy begins with this word. */
function isConfigurationDocument(file: RawObject): boolean {
  return file.rules === undefined && Object.keys(file).some((key) => key.startsWith('inference'))
}

function reportConfigurationDocument(path: string | undefined): PolicyFinding {
  const command = `${programName} config check ${path === undefined ? 'FILE' : quoteForHint(path)}`
  const message = 'it is a configuration document of the client, not the policy of a verifier'
  return createPolicyFinding('not-a-policy', '', message, `check it with: ${command}`)
}

/** Lists the names of the key files beside a policy; empty if the policy cannot be parsed. */
export function listKeyFiles(bytes: Uint8Array): string[] {
  const { value } = parseObjectFile(bytes, policyKind)
  return [...new Set(value && listNamedFiles(value).map(({ name }) => name))]
}

/** How messages name this file. */
export const policyKind: JsonFileKind = { noun: 'policy', levels: 5 }

function validateMeaning(file: RawObject): PolicyFinding[] {
  return [
    ...validateIssuers(file),
    ...validateAws(file),
    ...validateRules(file),
    ...validateHeaderCount(file),
    ...validateMaps(file),
    ...validateResource(file),
    ...validateIntrospection(file),
  ]
}

/** Turns a file without errors into the policy that a verifier uses. */
function toPolicy(form: PolicyForm, keySets: ReadonlyMap<string, JsonWebKeySet>): Policy {
  const maps = toValueMaps(form.maps)
  return {
    jwt: form.issuers.map((issuer) => toTrust(issuer, keySets)),
    aws: form.aws && toAwsTrust(form.aws),
    rules: form.rules.map((rule) => toRule(rule, maps)),
    ...(form.resource && {
      resource: toProtectedResource(
        form.resource,
        form.issuers.map(({ issuer }) => issuer),
        form.rules,
      ),
    }),
    clockSkewSec: form.clockSkewSec,
    ...(form.limits && { limits: toLimitSettings(form.limits) }),
  }
}

function compareLines(a: PolicyFinding, b: PolicyFinding): number {
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0)
}

/** A file that is not a policy can have a hundred thousand findings. */
const maxFindings = 200

function dropMost(findings: readonly PolicyFinding[]): readonly PolicyFinding[] {
  const dropped = findings.slice(maxFindings)
  if (dropped.length === 0) return findings
  const message = `${dropped.length} more findings are not shown`
  return [...findings.slice(0, maxFindings), createPolicyFinding('left-out', '', message, 'correct these first')]
}

function toValueMaps(maps: PolicyForm['maps']): ValueMaps {
  const entries = Object.entries(maps).map(([name, { names, unlisted }]) => {
    return [name, { name, names: new Map(Object.entries(names)), unlisted }] as const
  })
  return new Map(entries)
}

function toTrust(
  { keys, algorithms, introspection, ...trust }: PolicyForm['issuers'][number],
  keySets: ReadonlyMap<string, JsonWebKeySet>,
): JwtTrust {
  return omitUndefined({
    ...trust,
    keys: toKeys(keys, keySets),
    algorithms: algorithms ?? signatureAlgorithmNames,
    introspection: introspection && toIntrospection(introspection),
  })
}

function toKeys(
  keys: PolicyForm['issuers'][number]['keys'],
  keySets: ReadonlyMap<string, JsonWebKeySet>,
): JwtTrust['keys'] {
  if (keys?.url !== undefined) return { url: keys.url }
  if (keys?.file !== undefined) return { inline: keySets.get(keys.file) ?? { keys: [] } }
  return keys?.inline ? { inline: toJsonWebKeySet(keys.inline) } : 'discovered'
}

function toAwsTrust({ audience, audienceHeader, prefix, ...trust }: NonNullable<PolicyForm['aws']>): AwsTrust {
  return {
    ...trust,
    audience: audience === 'none' ? 'none' : { header: audienceHeader.toLowerCase(), value: audience },
    prefix: prefix === 'none' ? '' : prefix,
  }
}

function toRule(
  {
    issuer,
    aws,
    claims = {},
    everyone: _,
    request,
    headers,
    limit,
    introspection,
    ...rule
  }: PolicyForm['rules'][number],
  maps: ValueMaps,
): PolicyRule {
  const ofAws = Object.entries({ account: aws?.accounts, role: aws?.roles, arn: aws?.arns })
  return omitUndefined({
    ...rule,
    identities: issuer === undefined ? ('aws' as const) : { issuer },
    conditions: [...ofAws, ...Object.entries(claims)].flatMap(([claim, patterns]) => toCondition(claim, patterns)),
    request: request && {
      host: request.hosts,
      method: request.methods,
      path: request.paths,
      model: request.models,
    },
    headers: Object.entries(headers).map(([header, value]) => ({
      name: header.toLowerCase(),
      value: parseHeaderTemplate(value, maps) ?? [],
    })),
    limit: limit && toRate(limit),
    introspection: introspection === 'skipped' ? introspection : undefined,
  })
}

function toCondition(name: string, patterns: readonly string[] | undefined): ClaimCondition[] {
  const claim = parseClaimPath(name)
  return claim && patterns ? [{ claim, patterns }] : []
}

/** Finds problems of issuers that the shape cannot express. */
function validateIssuers(file: RawObject): PolicyFinding[] {
  const issuers = listObjects(file.issuers)
  const names = issuers.map(([, { issuer }]) => toText(issuer))
  const used = new Set(listObjects(file.rules).map(([, { issuer }]) => issuer))
  return issuers.flatMap(([index, entry], order) => {
    const path = `issuers[${index}]`
    const name = names[order]
    return [
      ...(name === undefined ? [] : validateName(name, path, entry)),
      ...(name === undefined ? [] : compareNames(name, names.slice(0, order), path)),
      ...(name === undefined || used.has(name) ? [] : [reportUnused(path)]),
      ...validateKeys(entry.keys, `${path}.keys`),
      ...validateLife(entry, path),
    ]
  })
}

/** If keys are discovered, the issuer must be the address at which discovery begins (OpenID Connect Discovery 1.0, section 4). */
function validateName(name: string, path: string, { keys }: RawObject): PolicyFinding[] {
  const at = `${path}.issuer`
  const problem = keys === undefined || URL.canParse(name) ? validateUrl(name) : undefined
  if (problem) {
    const hint =
      keys === undefined && problem.code === 'invalid-value' ? 'write the address, or add keys' : problem.hint
    const message =
      problem.code === 'invalid-value' ? 'it is not a web address, so its keys cannot be discovered' : problem.message
    return [createPolicyFinding(problem.code, at, message, hint)]
  }
  const ofProvider = validateIssuer({ issuer: name }, (setting) => setting)
  if (ofProvider?.code === 'issuer-of-any-tenant' || ofProvider?.code === 'issuer-inexact')
    return [
      createPolicyFinding(
        ofProvider.code,
        at,
        'no token has this issuer, because every token names the issuer of one tenant, spelled exactly',
        ofProvider.hint,
      ),
    ]
  return []
}

function compareNames(name: string, earlier: readonly (string | undefined)[], path: string): PolicyFinding[] {
  const at = `${path}.issuer`
  if (earlier.includes(name))
    return [
      createPolicyFinding(
        'duplicate-issuer',
        at,
        'this issuer is there twice',
        'join the two: an issuer has one list of audiences',
      ),
    ]
  if (!earlier.some((other) => other !== undefined && dropFinalSlash(other) === dropFinalSlash(name))) return []
  const message = 'it differs from another issuer in the slash at the end alone'
  return [createPolicyFinding('issuer-similar', at, message, 'keep the one that the claim iss of its tokens has')]
}

function reportUnused(path: string): PolicyFinding {
  const message = 'no rule is for this issuer, so its tokens are refused'
  return createPolicyFinding('issuer-unused', path, message, 'add a rule for it, or remove it')
}

function validateKeys(keys: unknown, path: string): PolicyFinding[] {
  if (!isObject(keys)) return []
  const given = ['url', 'file', 'inline'].filter((key) => keys[key] !== undefined)
  if (given.length === 0)
    return [
      createPolicyFinding(
        'keys-missing',
        path,
        'it names no keys',
        'add url, file or inline, or remove it: keys are discovered then',
      ),
    ]
  const several = createPolicyFinding(
    'keys-ambiguous',
    path,
    `it names keys ${given.length} times`,
    `keep one of ${given.join(', ')}`,
  )
  return [...(given.length > 1 ? [several] : []), ...validateKeySet(keys.inline, `${path}.inline`)]
}

function validateLife({ longestLifeSec, longestAgeSec }: RawObject, path: string): PolicyFinding[] {
  if (longestLifeSec !== undefined || longestAgeSec !== undefined) return []
  const message = 'a token of this issuer passes for as long as the token itself says'
  return [createPolicyFinding('life-unbounded', path, message, 'set longestLifeSec to what the issuer gives')]
}
