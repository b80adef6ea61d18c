/** The helper of a run, and its arguments. */
interface HelperChoice {
  readonly name: string
  readonly argv: readonly string[]
}

/**
 * Finds the helper by the names under which the executable was started, links included, with or without `.exe`; else by the
 * first argument. Case is ignored, as Windows and macOS do.
 */
export function findHelperChoice(
  helpers: readonly string[],
  startedAs: readonly string[],
  argv: readonly string[],
): HelperChoice | undefined {
  const names = startedAs.map((path) => path.replace(/^.*[\\/]/, '').replace(/\.exe$/i, ''))
  const named = names.map((name) => findHelper(helpers, name)).find((name) => name !== undefined)
  if (named) return { name: named, argv }
  const [first = '', ...rest] = argv
  const given = findHelper(helpers, first)
  return given ? { name: given, argv: rest } : undefined
}

function findHelper(helpers: readonly string[], name: string): string | undefined {
  return helpers.find((helper) => helper.toLowerCase() === name.toLowerCase())
}
