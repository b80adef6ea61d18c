/** The form of each parameter: one text, or a pattern. */
type ParameterRules = Readonly<Record<string, string | RegExp>>

/** Finds the mistake in the query of an authorization request, in words; `undefined` where it is exactly as the rules say. */
export function findParameterProblem(query: URLSearchParams, rules: ParameterRules): string | undefined {
  const names = [...query.keys()]
  const unknown = names.find((name) => !Object.hasOwn(rules, name))
  if (unknown !== undefined) return `unknown parameter ${unknown}`
  const doubled = names.find((name, index) => names.indexOf(name) !== index)
  if (doubled !== undefined) return `parameter ${doubled} twice`
  const wrong = Object.entries(rules).find(([name, rule]) => !matches(query.get(name), rule))
  return wrong && `parameter ${wrong[0]} ${query.has(wrong[0]) ? 'is wrong' : 'is missing'}`
}

function matches(value: string | null, rule: string | RegExp): boolean {
  return value !== null && (typeof rule === 'string' ? value === rule : rule.test(value))
}
