import { recipes } from '../../src/cli/gateway/verifier/command.ts'
import { identityHeaders } from './stage/outcome.ts'

/** The headers of the policy of the stage, which the pages of docs/gateways/ show too. */
export const shownHeaders = { names: identityHeaders, always: identityHeaders[0] }

/** A file of a recipe as `gatepass gateway verifier recipe` makes it. */
export function readRecipe(
  gateway: keyof typeof recipes,
  path: string,
  names: readonly string[] = shownHeaders.names,
): string {
  const file = recipes[gateway]({ names, always: shownHeaders.always }).find((each) => each.path === path)
  if (!file) throw new Error(`the recipe for ${gateway} has no ${path}`)
  return file.text
}
