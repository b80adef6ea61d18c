import { programName } from '../../version.ts'
import type { Policy } from '../policy/policy.ts'
import { computeRecipeDigest, findRecipeTerms } from '../policy/recipe-terms.ts'
import type { Log } from './log.ts'
import { isHeader } from './request-token.ts'

/** Compares the recipes that the gateways use with the policy in force. */
export interface RecipeWatch {
  /** Reads the headers of a request from a gateway, names and values in turn. */
  see(rawHeaders: readonly string[]): void
  /** Whether a request of the last {@link rememberedMs} came through an outdated configuration. */
  isDifferent(): boolean
}

/** The header with the digest of a recipe, in lower case. Each recipe replaces the caller's own header. */
export const recipeHeader = 'gatepass-recipe'

interface RecipeWatchParts {
  readonly policy: () => Policy
  readonly log: Log
  /** Epoch milliseconds. */
  readonly now: () => number
}

/**
 * Compares the digests of recipes. A gateway without a recipe of ours sends no digest, or passes on what the caller wrote, which changes
 * no decision.
 */
export function createRecipeWatch({ policy, log, now }: RecipeWatchParts): RecipeWatch {
  const findDigest = createFindDigest(policy)
  let seenAt = Number.NEGATIVE_INFINITY
  let told: { readonly digest: string; readonly at: number } | undefined
  const tell = (digest: string, current: string | undefined, at: number) => {
    if (told?.digest === digest && at - told.at < toldAgainMs) return
    told = { digest, at }
    const message = `a gateway asks with a configuration that was made from another policy: make it again with: ${programName} gateway verifier recipe GATEWAY --policy FILE`
    log.tellBounded({ level: 'warning', event: 'recipe', message, facts: { recipe: digest, policy_recipe: current } })
  }
  return {
    see(rawHeaders) {
      const digest = findStated(rawHeaders)
      if (digest === undefined) return
      const current = findDigest()
      if (digest === current) return
      seenAt = now()
      tell(digest, current, seenAt)
    },
    isDifferent: () => now() - seenAt < rememberedMs,
  }
}

/** How long a request with another configuration is remembered. */
export const rememberedMs = 5 * 60_000
const toldAgainMs = 60 * 60_000

/** Computes the digest of the policy in force once for each policy; `undefined` if no recipe can be made from it. */
function createFindDigest(policy: () => Policy): () => string | undefined {
  let last: { readonly policy: Policy; readonly digest: string | undefined } | undefined
  return () => {
    const current = policy()
    if (last?.policy === current) return last.digest
    const terms = findRecipeTerms(current)
    last = { policy: current, digest: terms && computeRecipeDigest(terms) }
    return last.digest
  }
}

function findStated(rawHeaders: readonly string[]): string | undefined {
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (!isHeader(rawHeaders[at]!, recipeHeader)) continue
    const value = rawHeaders[at + 1]!
    return /^[0-9a-f]{12}$/.test(value) ? value : undefined
  }
  return undefined
}
