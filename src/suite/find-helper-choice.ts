/**
 * Finds the helper by the names under which the executable was started, links included, with or without `.exe`; otherwise by the first
 * argument. Case is ignored, as the file systems of Windows and macOS do.
 */
export function findHelperChoice(
  helpers: readonly string[],
  startedAs: readonly string[],
  argv: readonly string[],
): { readonly name: string; readonly argv: readonly string[] } | undefined {
  const named = startedAs.map((path) => findHelperName(helpers, toProgramName(path))).find((name) => name !== undefined)
  if (named) return { name: named, argv }
  const [first = '', ...others] = argv
  const given = findHelperName(helpers, first)
  return given ? { name: given, argv: others } : undefined
}

/**
 * Returns the file name of a program without `.exe`. It uses no regular expression, because compiling one takes a while and every call runs
 * this.
 */
function toProgramName(path: string): string {
  const base = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
  return base.toLowerCase().endsWith('.exe') ? base.slice(0, -'.exe'.length) : base
}

function findHelperName(helpers: readonly string[], name: string): string | undefined {
  return helpers.find((helper) => helper.toLowerCase() === name.toLowerCase())
}
