// A second implementation of the policy's meaning, written in another way than the verifier's, so that both can be compared.

/** A rule as the policy file has it, for one issuer, with claims at the top alone. */
export interface OracleRule {
  readonly name: string
  readonly claims: Readonly<Record<string, readonly string[]>>
  /** Each value has one claim in braces, after a text. */
  readonly headers: Readonly<Record<string, string>>
}

/** Returns the first rule that holds, with every header that any rule can set; `undefined` if none does. */
export function predictRule(
  rules: readonly OracleRule[],
  claims: Readonly<Record<string, unknown>>,
): { readonly rule: string; readonly headers: Record<string, string> } | undefined {
  const all = rules.flatMap(({ headers }) => Object.keys(headers).map((name) => [name, ''] as const))
  for (const { name, claims: wanted, headers } of rules) {
    const fits = Object.entries(wanted).every(([claim, patterns]) =>
      listTexts(claims[claim]).some((text) => patterns.some((pattern) => toExpression(pattern).test(text))),
    )
    const filled = Object.entries(headers).map(
      ([header, template]) => [header, predictHeader(template, claims)] as const,
    )
    const bytes = filled.reduce((sum, [header, value]) => sum + header.length + (value?.length ?? 0), 0)
    if (!fits || filled.some(([, value]) => value === undefined) || bytes > 3072) continue
    return { rule: name, headers: Object.fromEntries([...all, ...filled.map(([header, value]) => [header, value!])]) }
  }
  return undefined
}

function toExpression(pattern: string): RegExp {
  return new RegExp(`^${pattern.split('*').map(RegExp.escape).join('[^]*')}$`)
}

/** A text, a truth value or a number that is exact, alone or in a list; whatever else there is has none. */
function listTexts(claim: unknown): string[] {
  return [claim].flat().flatMap((item) => {
    const isExact = typeof item === 'number' && Math.abs(item) < 2 ** 53
    return typeof item === 'string' || typeof item === 'boolean' || isExact ? [String(item)] : []
  })
}

/** Returns `undefined` if the claim gives no text, or one of its items gives none. */
function predictHeader(template: string, claims: Readonly<Record<string, unknown>>): string | undefined {
  const [, before = '', claim = ''] = /^(.*)\{(.+)\}$/.exec(template) ?? []
  const items = [claims[claim]].flat()
  const texts = listTexts(items)
  if (texts.length === 0 || texts.length < items.length || texts.includes('')) return undefined
  if (!texts.every((text) => text.isWellFormed())) return undefined // UTF-8 has no form of it
  return before + texts.map(encode).join(',')
}

/** Percent-encodes the bytes of everything but visible ASCII and single spaces within, of `%` and of `,`. */
function encode(text: string): string {
  const characters = [...text]
  return characters
    .map((character, at) => {
      const isAtEnd = at === 0 || at === characters.length - 1
      const isPlain = character === ' ' ? !isAtEnd : character > ' ' && character <= '~' && !'%,'.includes(character)
      const bytes = [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
      return isPlain ? character : bytes.join('')
    })
    .join('')
}
