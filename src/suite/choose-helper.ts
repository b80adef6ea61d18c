/** Which helper a run is for, and the arguments that are left for it. */
export interface Choice {
  readonly name: string
  readonly argv: readonly string[]
}

/**
 * Chooses by the names under which the executable was started, links included, with or without `.exe`; under another
 * name by the first argument. Windows and macOS do not tell letters by their case, so neither does this.
 */
export function findChoice(
  helpers: readonly string[],
  startedAs: readonly string[],
  argv: readonly string[],
): Choice | undefined {
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
