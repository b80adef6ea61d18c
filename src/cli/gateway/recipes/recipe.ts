// Folder: gateway configurations with requests to the verifier, generated from its policy.

import { errorTypes } from '../../../contract/http-api.ts'
import {
  type RefusalReason,
  refusalDetailHeader,
  refusalHeader,
  refusalReasons,
} from '../../../contract/refusal-reasons.ts'
import { HelperError } from '../../../runtime/failure.ts'
import type { Policy } from '../../../verify/policy/policy.ts'
import { renderResourceMetadata, toMetadataPath } from '../../../verify/policy/protected-resource.ts'
import { computeRecipeDigest, findRecipeTerms, type RecipeTerms } from '../../../verify/policy/recipe-terms.ts'
import { recipeHeader } from '../../../verify/server/recipe-watch.ts'
import { credentialHeaders } from '../../../verify/server/request-token.ts'

/** One file of a gateway's configuration, and its installed path. */
export interface RecipeFile {
  readonly path: string
  readonly text: string
}

/** The address at which people reach the gateway. */
export interface GatewayAddress {
  readonly host: string
  readonly port: string
  /** The part of its paths before `/v1/`, without a final slash: empty, or for example `/ai`. */
  readonly prefix: string
}

/** The answer of a gateway by itself if the verifier does not answer: the reason and the type in its body. */
export const unavailableReason = 'verifier-unavailable' satisfies RefusalReason
export const unavailableType = errorTypes[refusalReasons[unavailableReason].status]

/** The message to a caller if the verifier does not answer, for gateways with a single sentence for all such cases. */
export const unavailableMessage = 'the verifier cannot be asked'

/** The address in the recipes of the documentation. */
export const exampleAddress: GatewayAddress = { host: 'gateway.example', port: '443', prefix: '' }

/**
 * Parses the address in a gateway's URL.
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
 * Returns the terms of a policy for a recipe.
 * @throws {HelperError} `not-configured` if no header names every caller.
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

/** The metadata of its resource that a gateway serves itself. It needs no verifier and no token. */
interface RecipeMetadata {
  readonly path: string
  /** JSON on one line, without characters that are special between single quotes. */
  readonly json: string
}

/** Finds the metadata in a recipe; `undefined` if the policy names no resource. */
export function findRecipeMetadata({ resource }: RecipeTerms): RecipeMetadata | undefined {
  return resource && { path: toMetadataPath(resource), json: renderResourceMetadata(resource) }
}

/**
 * The headers that every recipe removes, in lower case: cookies, headers that make a server behind the gateway act differently from the
 * request that a rule has seen, the header from which LiteLLM reads a key first, and headers that only the gateway may set for the
 * verifier: the caller's certificate and the recipe.
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

/** Lists the headers with fixed values that tell the verifier the configuration and the tenant; names in lower case. */
export function listAskHeaders(terms: RecipeTerms): (readonly [name: string, value: string])[] {
  const { tenant } = terms
  return [[recipeHeader, computeRecipeDigest(terms)], ...(tenant ? [[tenant.header, tenant.name] as const] : [])]
}

/** Writes `x-user` as `X-User`, and `dpop` as in RFC 9449. */
export function toTitleCase(name: string): string {
  if (name === 'dpop') return 'DPoP'
  return name.replaceAll(/(^|-)[a-z]/g, (found) => found.toUpperCase())
}

export function quoteAll(names: readonly string[], quote: string): string {
  return names.map((name) => `${quote}${name}${quote}`).join(', ')
}

/** The headers of a refusal that the caller gets. */
export const explanationHeaders = ['www-authenticate', refusalHeader, refusalDetailHeader, 'retry-after']

/** Renders the lists of headers that a Lua script sets and removes. */
export function renderLuaHeaders(names: readonly string[]): string {
  return `-- Every header that a rule of the policy sets, and those in which a caller may send a credential.
local identity = { ${quoteAll(names, "'")} }
local credentials = { ${quoteAll(credentialHeaders, "'")} }`
}

/** Lua: whether an answer, by its header names in lower case, has all headers that a rule of the policy sets. */
export const luaCompleteness = `local function isComplete(headers)
  for _, name in ipairs(identity) do
    if not headers[name] then return false end
  end
  return true
end`

const maxDashes = 6

/**
 * Returns every other spelling with underscores instead of dashes, which a program behind the gateway may treat as the same name.
 * @throws {HelperError} `not-configured` for a name with too many spellings.
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

/** The list of the headers that explain a refusal, in Lua. */
export const luaExplanations = `-- Headers of the answer to a refused request.
local explanations = { ${quoteAll(explanationHeaders, "'")} }`
