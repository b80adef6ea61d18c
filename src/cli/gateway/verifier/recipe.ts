import { HelperError } from '../../../runtime/failure.ts'
import { renderHeaderTemplate } from '../../../verify/policy/header-template.ts'
import type { Policy } from '../../../verify/policy/policy.ts'

/** One file of a gateway's configuration, and where it is installed. */
export interface RecipeFile {
  readonly path: string
  readonly text: string
}

/** The headers that name the caller, in lower case: each is removed from what the caller sends, and set from the verifier's answer. */
export interface RecipeHeaders {
  /** Every header that a rule of the policy can set; never empty. */
  readonly names: readonly string[]
  /** The first one that every rule sets, to a text that is not empty. */
  readonly always: string
}

/** Where people reach the gateway. */
export interface GatewayAddress {
  readonly host: string
  readonly port: string
  /** What stands before `/v1/` in its paths, without a slash at the end: empty, or such as `/ai`. */
  readonly prefix: string
}

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

/** Every header that any rule of the policy can set, in the order of the file. */
export function listPolicyHeaders({ rules }: Pick<Policy, 'rules'>): string[] {
  return [...new Set(rules.flatMap(({ headers }) => headers.map(({ name }) => name)))]
}

/**
 * The headers of a policy, for a recipe.
 * @throws {HelperError} `not-configured` where no header names every caller: a recipe takes an answer without it for no answer.
 */
export function requireRecipeHeaders(path: string, { rules }: Pick<Policy, 'rules'>): RecipeHeaders {
  const names = listPolicyHeaders({ rules })
  const always = names.find((each) =>
    rules.every(({ headers }) => headers.some(({ name, value }) => name === each && isNeverEmpty(value))),
  )
  if (always !== undefined) return { names, always }
  throw new HelperError(
    'not-configured',
    `no header of the policy ${path} is set by each of its rules`,
    'give every rule the same header that names its caller, such as "headers": {"x-user": "{sub}"}',
  )
}

/** Whether the template, rendered without claims, lacks a claim or still gives a text. */
function isNeverEmpty(value: Policy['rules'][number]['headers'][number]['value']): boolean {
  const rendered = renderHeaderTemplate(value, {})
  return 'missing' in rendered || rendered.value !== ''
}

/** `x-user` as `X-User`. */
export function toTitleCase(name: string): string {
  return name.replaceAll(/(^|-)[a-z]/g, (found) => found.toUpperCase())
}

/** Names as a list of quoted words. */
export function quoteAll(names: readonly string[], quote: string): string {
  return names.map((name) => `${quote}${name}${quote}`).join(', ')
}

/** Lua: the lists of headers that a script sets and removes. */
export function renderLuaHeaders(names: readonly string[]): string {
  return `-- Every header that a rule of the policy sets, and those in which a caller may send a credential.
local identity = { ${quoteAll(names, "'")} }
local credentials = { 'authorization', 'proxy-authorization', 'x-api-key', 'dpop' }`
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
