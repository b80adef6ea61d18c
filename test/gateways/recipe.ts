import { recipes } from '../../src/cli/gateway/verifier/add-verifier.ts'
import type { RecipeTerms } from '../../src/verify/policy/recipe-terms.ts'
import { identityHeaders } from './stage/outcome.ts'

/** The terms of the policy of the stage, which the pages of docs/gateways/ show too. */
export const shownTerms: RecipeTerms = { names: identityHeaders, always: identityHeaders[0] }

/** Reads a file of a recipe as `gatepass gateway verifier recipe` makes it. */
export function readRecipe(gateway: keyof typeof recipes, path: string, terms: Partial<RecipeTerms> = {}): string {
  const file = recipes[gateway]({ ...shownTerms, ...terms }).find((each) => each.path === path)
  if (!file) throw new Error(`the recipe for ${gateway} has no ${path}`)
  return file.text
}
