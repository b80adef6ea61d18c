import type { Policy } from '../policy/policy.ts'
import { computeRecipeDigest, findRecipeTerms } from '../policy/recipe-terms.ts'
import { isHeader } from './find-token.ts'
import type { Log } from './log.ts'

/** Compares the configurations with which gateways ask with the policy in force. */
export interface RecipeWatch {
  /** Looks at the headers of a question, names and values in turn. */
  see(rawHeaders: readonly string[]): void
  /** Whether a question of the last five minutes came by a configuration that is out of date. */
  isDifferent(): boolean
}

/** The header in which a recipe says from what it was made, in lower case. Each recipe sets it in place of the caller's. */
export const recipeHeader = 'gatepass-recipe'

interface WatchParts {
  readonly policy: () => Policy
  readonly log: Log
  /** Epoch milliseconds. */
  readonly now: () => number
}

/**
 * Watches the digests of recipes. A gateway without a recipe of ours states none; it may pass on what a caller has written, which
 * changes no decision.
 */
export function createRecipeWatch({ policy, log, now }: WatchParts): RecipeWatch {
  const findDigest = createFindDigest(policy)
  let seenAt = Number.NEGATIVE_INFINITY
  let told: { readonly digest: string; readonly at: number } | undefined
  const tell = (digest: string, current: string | undefined, at: number) => {
    if (told?.digest === digest && at - told.at < toldAgainMs) return
    told = { digest, at }
    const message =
      'a gateway asks with a configuration that was made from another policy: make it again with: gatepass gateway verifier recipe GATEWAY --policy FILE'
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

const rememberedMs = 5 * 60_000
const toldAgainMs = 60 * 60_000

/** The digest of the policy in force, computed once for each policy; `undefined` if no recipe can be made from it. */
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
