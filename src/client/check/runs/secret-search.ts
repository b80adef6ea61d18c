import type { HelperOutput } from '../../../contract/output.ts'
import type { Environment } from '../../../runtime/environment.ts'
import { redact } from '../../redact.ts'

/** Shorter values are in too many texts to mean anything. */
const shortest = { token: 8, header: 16 } as const

/**
 * Where a secret is looked for: in the helper's own words, where a few characters are too many, or in files, which
 * somebody else may have written.
 */
export type Place = 'words' | 'files'

interface Needle {
  /** What it is, in words that may be shown. */
  readonly what: string
  readonly text: string
  readonly places: readonly Place[]
}

/**
 * Knows every secret that a helper has printed so far and finds them in texts; nobody gets them out again. What the
 * helper was given in the open, by its arguments or environment, is no secret.
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
      this.#add({ what: 'the token', text: token, places: ['words', 'files'] })
      this.#add({ what, text: headOf(token, 'words'), places: ['words'] })
      this.#add({ what, text: headOf(token, 'files'), places: ['files'] })
    }
    for (const [name, value] of Object.entries(headers)) {
      const what = `the value of the header ${name}`
      if (value.length >= shortest.header) this.#add({ what, text: value, places: ['words', 'files'] })
    }
  }

  /** The first of the secrets that stands in `text`. */
  find(text: string, place: Place): string | undefined {
    return this.#needles.find((needle) => needle.places.includes(place) && text.includes(needle.text))?.what
  }

  /** `text` with everything hidden that is a secret, and what looks like one. */
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

/** The beginning of a token, up to where it is that token's own: kinds of tokens begin alike, JWTs with a whole header. */
function headOf(token: string, place: Place): string {
  const isJwt = token.split('.').length === 3
  const word = /^(?:[a-z]+[-_])*/.exec(token)?.[0].length ?? 0
  if (place === 'words') return token.slice(0, word + 6)
  return isJwt ? token.slice(0, token.indexOf('.') + 1 + 16) : token.slice(0, word + 8)
}
