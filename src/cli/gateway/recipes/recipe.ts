// Folder: the configurations of gateways that ask the verifier, made from its policy.

import { refusalDetailHeader, refusalHeader } from '../../../contract/refusal-reasons.ts'
import { HelperError } from '../../../runtime/failure.ts'
import type { Policy } from '../../../verify/policy/policy.ts'
import { renderResourceMetadata, toMetadataPath } from '../../../verify/policy/protected-resource.ts'
import { computeRecipeDigest, findRecipeTerms, type RecipeTerms } from '../../../verify/policy/recipe-terms.ts'
import { credentialHeaders } from '../../../verify/server/find-token.ts'
import { recipeHeader } from '../../../verify/server/recipe-watch.ts'

/** One file of a gateway's configuration, and where it is installed. */
export interface RecipeFile {
  readonly path: string
  readonly text: string
}

/** The address at which people reach the gateway. */
export interface GatewayAddress {
  readonly host: string
  readonly port: string
  /** The part of its paths before `/v1/`, without a slash at the end: empty, or such as `/ai`. */
  readonly prefix: string
}

/** The message to a caller where the verifier does not answer, of gateways that have one sentence for all such cases. */
export const unavailableMessage = 'the verifier cannot be asked'

/** The address in the recipes of the documentation. */
export const exampleAddress: GatewayAddress = { host: 'gateway.example', port: '443', prefix: '' }

/**
 * The address in the URL of a gateway.
 * @throws {HelperError} `usage` for a path that would have another meaning in the configuration of a gateway.
 */
export function parseGatewayAddress(baseUrl: string): GatewayAddress {
  const { protocol, hostname: host, port, pathname } = new URL(baseUrl)
  const prefix = pathname.replace(/\/+$/, '')
  if (!/^[\w./~-]*$/.test(prefix))
    throw new HelperError(
      'usage',
      `no recipe can be made for the path ${prefix} of the gateway`,
      'choose a path of letters, digits, slashes and hyphens, or pass --recipe none',
    )
  return { host, port: port || (protocol === 'http:' ? '80' : '443'), prefix }
}

/**
 * The terms of a policy, for a recipe.
 * @throws {HelperError} `not-configured` where no header names every caller.
 */
export function requireRecipeTerms(path: string, policy: Pick<Policy, 'rules' | 'resource'>): RecipeTerms {
  const terms = findRecipeTerms(policy)
  if (terms) return terms
  throw new HelperError(
    'not-configured',
    `no header of the policy ${path} is set by each of its rules`,
    'give every rule the same header that names its caller, such as "headers": {"x-user": "{sub}"}',
  )
}

/** The answer about its resource that a gateway gives by itself. It asks no verifier and needs no token. */
interface RecipeMetadata {
  readonly path: string
  /** JSON on one line, without characters that mean something between single quotes. */
  readonly json: string
}

/** The metadata that a recipe serves; `undefined` if the policy names no resource. */
export function findRecipeMetadata({ resource }: RecipeTerms): RecipeMetadata | undefined {
  return resource && { path: toMetadataPath(resource), json: renderResourceMetadata(resource) }
}

/**
 * Headers that every recipe removes, in lower case: cookies, those by which a server behind the gateway would do something else than a
 * rule has seen, the one in which LiteLLM takes a key before any other, and those in which only the gateway speaks: to the verifier
 * about the certificate of the caller, and about the recipe.
 */
export const removedHeaders = [
  'cookie',
  'x-http-method-override',
  'x-http-method',
  'x-method-override',
  'x-original-url',
  'x-rewrite-url',
  'x-litellm-api-key',
  'x-client-cert',
  recipeHeader,
] as const

/** The headers that a recipe without a script removes: {@link removedHeaders} and the credential itself. */
export const withheldHeaders = [...credentialHeaders, ...removedHeaders] as const

/** The headers with fixed values by which the verifier learns which configuration asks, and for which tenant; names in lower case. */
export function listAskHeaders(terms: RecipeTerms): (readonly [name: string, value: string])[] {
  const { tenant } = terms
  return [[recipeHeader, computeRecipeDigest(terms)], ...(tenant ? [[tenant.header, tenant.name] as const] : [])]
}

/** `x-user` as `X-User`; `dpop` as RFC 9449 spells it. */
export function toTitleCase(name: string): string {
  if (name === 'dpop') return 'DPoP'
  return name.replaceAll(/(^|-)[a-z]/g, (found) => found.toUpperCase())
}

/** Names as a list of quoted words. */
export function quoteAll(names: readonly string[], quote: string): string {
  return names.map((name) => `${quote}${name}${quote}`).join(', ')
}

/** The headers of an answer to a refused request that the caller gets. */
export const explanationHeaders = ['www-authenticate', refusalHeader, refusalDetailHeader, 'retry-after']

/** Lua: the lists of headers that a script sets and removes. */
export function renderLuaHeaders(names: readonly string[]): string {
  return `-- Every header that a rule of the policy sets, and those in which a caller may send a credential.
local identity = { ${quoteAll(names, "'")} }
local credentials = { ${quoteAll(credentialHeaders, "'")} }`
}

/** Lua: whether an answer, by the names of its headers in lower case, has all that a rule of the policy sets. */
export const luaCompleteness = `local function isComplete(headers)
  for _, name in ipairs(identity) do
    if not headers[name] then return false end
  end
  return true
end`

const maxDashes = 6

/**
 * Every other spelling with underscores for dashes, which a program behind the gateway may take for the same name.
 * @throws {HelperError} `not-configured` for a name that has too many of them.
 */
export function toUnderscores(name: string): string[] {
  const words = name.split('-')
  if (words.length - 1 > maxDashes)
    throw new HelperError(
      'not-configured',
      `the header ${name} has more than ${maxDashes} dashes, and too many spellings to remove each of them`,
      'choose a shorter name in the policy',
    )
  return words
    .slice(1)
    .reduce((spellings, word) => spellings.flatMap((start) => [`${start}_${word}`, `${start}-${word}`]), [words[0]!])
    .filter((spelling) => spelling !== name)
}
