import * as z from 'zod'
import { isSecureAddress } from '../../runtime/network/addresses.ts'
import { isObject, type RawObject } from '../../runtime/values/json-value.ts'
import { createPolicyFinding, type PolicyFinding, type PolicyProblem } from './policy-finding.ts'
import { policyLimits } from './policy-limits.ts'
import type { ProtectedResource } from './protected-resource.ts'
import { withExamination } from './report-issues.ts'
import { listObjects, listTexts } from './unchecked-form.ts'
import { addressHint, validateUrl } from './validate-text.ts'

/** The form of `resource` in a policy file. */
export const resourceShape = z.strictObject({
  url: toExamined(policyLimits.resourceUrlLength, validateResourceUrl).describe(
    'its address, which clients name as the resource (RFC 8707)',
  ),
  authorizationServers: z
    .array(toExamined(policyLimits.resourceUrlLength, validateServer))
    .min(1)
    .max(policyLimits.authorizationServers)
    .describe('where its tokens come from; the issuers of this file by default')
    .optional(),
  scopes: z
    .array(toExamined(policyLimits.scopeLength, validateScope))
    .max(policyLimits.scopes)
    .describe('the scopes that a client asks for at first; those of all rules by default')
    .optional(),
  name: toExamined(policyLimits.resourceNameLength, validatePlain).describe('its name for people').optional(),
})

/** The form of `scopes` of a rule. */
export const scopesShape = z
  .array(toExamined(policyLimits.scopeLength, validateScope))
  .min(1)
  .max(policyLimits.scopes)
  .describe('all of them have to be in the claim scope or scp')

/** Returns the resource of a policy, with the scopes and servers that its rules and issuers contribute. */
export function toProtectedResource(
  { url, authorizationServers, scopes, name }: z.output<typeof resourceShape>,
  issuers: readonly string[],
  rules: readonly { readonly scopes?: readonly string[] | undefined }[],
): ProtectedResource {
  return {
    url,
    authorizationServers: authorizationServers ?? issuers.filter(isWebAddress),
    scopes: scopes ?? [...new Set(rules.flatMap((rule) => rule.scopes ?? []))].slice(0, policyLimits.scopes),
    name,
  }
}

/** Finds problems of the resource, and of the scopes of rules, that the shape cannot express. */
export function validateResource(file: RawObject): PolicyFinding[] {
  const ofAws = listObjects(file.rules).flatMap(([index, { aws, scopes }]) =>
    aws === undefined || scopes === undefined
      ? []
      : [
          createPolicyFinding(
            'invalid-value',
            `rules[${index}].scopes`,
            'a proof of an AWS identity has no scopes',
            'remove them, or make a rule for an issuer',
          ),
        ],
  )
  const { resource } = file
  if (!isObject(resource) || resource.authorizationServers !== undefined) return ofAws
  const issuers = listObjects(file.issuers).map(([, { issuer }]) => issuer)
  const { length: count } = listTexts(issuers).filter(isWebAddress)
  if (count > 0 && count <= policyLimits.authorizationServers) return ofAws
  const what =
    count === 0 ? 'no issuer of this file is the address of one' : 'this file has more issuers than it can name'
  const message = `it has to name the authorization servers: ${what}`
  const hint = 'add authorizationServers, a list of their addresses'
  return [...ofAws, createPolicyFinding('required-missing', 'resource', message, hint)]
}

function toExamined(length: number, find: (text: string) => PolicyProblem | undefined): z.ZodString {
  return withExamination(z.string().min(1).max(length), find)
}

/** Returns whether the text can be the address of an authorization server in the metadata. */
function isWebAddress(text: string): boolean {
  return text.length <= policyLimits.resourceUrlLength && validateServer(text) === undefined
}

/** These texts are written into configurations of gateways, in which other characters have a meaning. */
function validatePlain(text: string): PolicyProblem | undefined {
  if (/^[\w .,:/@+~=()-]+$/.test(text)) return undefined
  return {
    code: 'invalid-value',
    message: 'it has characters that mean something in the configuration of a gateway',
    hint: 'write letters, digits, blanks and . , : / @ + ~ = ( ) _ - alone',
  }
}

function validateScope(text: string): PolicyProblem | undefined {
  if (!text.includes(' ')) return validatePlain(text)
  return { code: 'invalid-value', message: 'it is more than one scope', hint: 'write each as a text of its own' }
}

/** Finds the problem of an address that clients open: it must be `https`, or `http` on this machine. */
function validateServer(text: string): PolicyProblem | undefined {
  const problem = validatePlain(text) ?? validateUrl(text)
  if (problem?.code !== 'insecure-url') return problem
  return { ...problem, message: 'clients send their credentials to plain http' }
}

function validateResourceUrl(text: string): PolicyProblem | undefined {
  const url = URL.parse(text)
  if (!url || !isSecureAddress(url))
    return { code: 'invalid-value', message: 'it is not an https address', hint: addressHint }
  const { origin, pathname, hostname } = url
  // The path is written into the configuration of the gateway, in which other characters have a meaning.
  const isPlain = /^(\/|(\/[\w.~-]+)+)$/.test(pathname) && !hostname.startsWith('[')
  if (isPlain && (text === origin + pathname || text === origin)) return undefined
  return {
    code: 'invalid-value',
    message: 'it is not the address of a resource in its usual form',
    hint: 'write https://, the host in lower case, and a path of letters, digits, - . _ ~ without a slash at its end',
  }
}
