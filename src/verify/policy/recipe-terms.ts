import { hash } from 'node:crypto'
import { renderHeaderTemplate } from './header-template.ts'
import type { Policy } from './policy.ts'
import { type ProtectedResource, renderResourceMetadata } from './protected-resource.ts'

/** The parts of the policy that the configuration of a gateway holds. */
export interface RecipeTerms {
  /** Every header that a rule can set, in lower case: each is removed from what the caller sends, and set from the verifier's answer; never empty. */
  readonly names: readonly string[]
  /** The first one that every rule sets, to a text that is not empty. */
  readonly always: string
  /** Described to OAuth clients by the gateway itself; absent if the policy does not name it. */
  readonly resource?: ProtectedResource
  /** The header by which the verifier learns whose policy this is, of several; absent where it is the only one, or the host decides. */
  readonly tenant?: { readonly header: string; readonly name: string }
}

/** The terms of a policy; `undefined` where no header names every caller, because a recipe takes an answer without it for no answer. */
export function findRecipeTerms({ rules, resource }: Pick<Policy, 'rules' | 'resource'>): RecipeTerms | undefined {
  const names = listPolicyHeaders({ rules })
  const always = names.find((each) =>
    rules.every(({ headers }) => headers.some(({ name, value }) => name === each && isNeverEmpty(value))),
  )
  return always === undefined ? undefined : { names, always, ...(resource && { resource }) }
}

/**
 * The first twelve digits of the SHA-256 of the terms. Not of the file: a rule that lets others pass leaves every configuration right, and
 * an alarm at each change would be none.
 */
export function computeRecipeDigest({ names, always, resource }: RecipeTerms): string {
  const terms = [names, always, resource ? renderResourceMetadata(resource) : null]
  return hash('sha256', JSON.stringify(terms)).slice(0, 12)
}

/** Every header that any rule of the policy can set, in the order of the file. */
export function listPolicyHeaders({ rules }: Pick<Policy, 'rules'>): string[] {
  return [...new Set(rules.flatMap(({ headers }) => headers.map(({ name }) => name)))]
}

/** Whether the template, rendered without claims, lacks a claim or still gives a text. */
function isNeverEmpty(value: Policy['rules'][number]['headers'][number]['value']): boolean {
  const rendered = renderHeaderTemplate(value, {})
  return 'missing' in rendered || rendered.value !== ''
}
