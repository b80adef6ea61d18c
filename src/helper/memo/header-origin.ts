import { readText } from '../../runtime/disk.ts'
import { parseObject } from '../../runtime/parse-object.ts'
import type { ResolvedOption } from '../options/resolve.ts'

/** Where header templates are: in the arguments, each with where it begins in its word, or in a configuration file. */
export type HeaderOrigin =
  | { readonly from: 'arguments'; readonly places: readonly (readonly [index: number, begin: number])[] }
  | { readonly from: 'file'; readonly path: string }

/** Where the option's value came from; `undefined` where it cannot be read from there again. */
export function findHeaderOrigin({ value, origin }: ResolvedOption, argv: readonly string[]): HeaderOrigin | undefined {
  const texts = (value ?? []) as readonly string[] // the option's kind is a list
  if (texts.length === 0) return { from: 'arguments', places: [] }
  if (origin.startsWith('variable ')) return undefined
  if (origin !== 'argument') return { from: 'file', path: origin.replace(/^locked by /, '') }
  const places = texts.map((text) => findPlace(text, argv))
  return places.every((place) => place !== undefined) ? { from: 'arguments', places } : undefined
}

function findPlace(text: string, argv: readonly string[]): readonly [number, number] | undefined {
  const index = argv.findIndex(
    (word, at) => word === `--header=${text}` || (word === text && argv[at - 1] === '--header'),
  )
  return index < 0 ? undefined : [index, argv[index]!.length - text.length]
}

/** The templates, from where they were found. The file has not changed since then. */
export async function readHeaderTexts(origin: HeaderOrigin, argv: readonly string[]): Promise<readonly string[]> {
  if (origin.from === 'arguments') return origin.places.map(([index, begin]) => argv[index]!.slice(begin))
  const text = await readText(origin.path)
  return parseObject(text.replace(/^\uFEFF/, ''))?.header as readonly string[] // as it was parsed before
}
