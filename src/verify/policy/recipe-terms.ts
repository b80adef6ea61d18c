import { hash } from 'node:crypto'
import { expandHeaderTemplate } from './header-template.ts'
import type { Policy } from './policy.ts'
import { type ProtectedResource, renderResourceMetadata } from './protected-resource.ts'

/** The parts of the policy that a gateway's configuration contains. */
export interface RecipeTerms {
  /**
   * Every header that a rule can set, in lower case. The gateway removes each from the caller's request, and sets it from the verifier's
   * answer. Never empty.
   */
  readonly names: readonly string[]
  /** The first header to which every rule sets a text that is not empty. */
  readonly always: string
  /** The resource that the gateway itself describes to OAuth clients; absent if the policy does not name one. */
  readonly resource?: ProtectedResource | undefined
  /** The header that names the tenant to the verifier; absent if there is only one policy, or if the host decides. */
  readonly tenant?: { readonly header: string; readonly name: string }
}

/** Finds the terms of a policy; `undefined` if no header names every caller, because a recipe ignores an answer without such a header. */
export function findRecipeTerms({ rules, resource }: Pick<Policy, 'rules' | 'resource'>): RecipeTerms | undefined {
  const names = listPolicyHeaders({ rules })
  const always = names.find((each) =>
    rules.every(({ headers }) => headers.some(({ name, value }) => name === each && isNeverEmpty(value))),
  )
  return always === undefined ? undefined : { names, always, resource }
}

/**
 * Computes the first twelve digits of the SHA-256 of the terms. It is not the digest of the file, because a rule for further callers
 * changes no gateway's configuration, and needless alarms are ignored.
 */
export function computeRecipeDigest({ names, always, resource }: RecipeTerms): string {
  const terms = [names, always, resource ? renderResourceMetadata(resource) : null]
  return hash('sha256', JSON.stringify(terms)).slice(0, 12)
}

/** Lists every header that any rule of the policy can set, in the order of the file. */
export function listPolicyHeaders({ rules }: Pick<Policy, 'rules'>): string[] {
  return [...new Set(rules.flatMap(({ headers }) => headers.map(({ name }) => name)))]
}

/** Returns whether the template, filled in without claims, lacks a claim or still gives a text. */
function isNeverEmpty(value: Policy['rules'][number]['headers'][number]['value']): boolean {
  const rendered = expandHeaderTemplate(value, {})
  return 'missing' in rendered || rendered.value !== ''
}
