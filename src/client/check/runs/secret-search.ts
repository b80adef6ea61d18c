import type { HelperOutput } from '../../../contract/output.ts'
import type { Environment } from '../../../runtime/run-process.ts'
import { redact } from '../../../runtime/text/redact.ts'

/**
 * Searches texts for the secrets that a helper has printed so far, and never returns one. Values in the helper's arguments or environment
 * are not secret.
 */
export class SecretSearch {
  readonly #given: readonly string[]
  readonly #needles: Needle[] = []

  constructor(env: Environment, args: readonly string[]) {
    this.#given = [...Object.values(env), ...args].filter((value) => value !== undefined)
  }

  add({ token, headers }: HelperOutput): void {
    if (token.length >= shortest.token) {
      const what = "the token's first characters"
      this.#add({ what: 'the token', text: token, kinds: ['own', 'new-file', 'old-file'] })
      this.#add({ what, text: cutToken(token, 'own'), kinds: ['own'] })
      this.#add({ what, text: cutToken(token, 'new-file'), kinds: ['new-file'] })
    }
    for (const [name, value] of Object.entries(headers)) {
      const what = `the value of the header ${name}`
      if (value.length >= shortest.header) this.#add({ what, text: value, kinds: ['own', 'new-file'] })
    }
  }

  isEmpty(): boolean {
    return this.#needles.length === 0
  }

  /**
   * Finds the first secret in `text`.
   * @returns its name, which contains no secret.
   */
  find(text: string, kind: TextKind): string | undefined {
    return this.#needles.find((needle) => needle.kinds.includes(kind) && text.includes(needle.text))?.what
  }

  /** Replaces every secret in `text`, and every text that looks like a secret. */
  mask(text: string): string {
    return redact(
      text,
      this.#needles.map((needle) => needle.text),
    )
  }

  #add(needle: Needle): void {
    const isKnown = this.#needles.some(({ text, what }) => text === needle.text && what === needle.what)
    if (!isKnown && !this.#given.some((value) => value.includes(needle.text))) this.#needles.push(needle)
  }
}

/**
 * The kind of the searched text. The helper's own texts may not contain even the first characters of a secret; a file may belong to another
 * program, so more characters must match. A file that is older than the check is searched only for the token, because the value of a header
 * may come from there.
 */
type TextKind = 'own' | 'new-file' | 'old-file'

interface Needle {
  /** The name of the secret, in words that may be shown. */
  readonly what: string
  readonly text: string
  readonly kinds: readonly TextKind[]
}

/** Shorter values can occur by chance. */
const shortest = { token: 8, header: 16 } as const

/** Cuts a token after its first distinctive characters: they follow the prefix, or the JWT header, that all tokens of its kind have. */
function cutToken(token: string, kind: TextKind): string {
  const isJwt = token.split('.').length === 3
  const word = /^(?:[a-z]+[-_])*/.exec(token)?.[0].length ?? 0
  if (kind === 'own') return token.slice(0, word + 6)
  return isJwt ? token.slice(0, token.indexOf('.') + 1 + 16) : token.slice(0, word + 8)
}
