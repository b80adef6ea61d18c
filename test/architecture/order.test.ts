import { expect, test } from 'vitest'
import { parse, product, type SourceFile, scripts } from './source-files.ts'

test('a file begins with what it exports: a reader who opens it by its name sees that first', () => {
  const late = [...product, ...scripts].flatMap(({ path, text }) => {
    const above = text.slice(0, /^export (?!type |interface )/m.exec(text)?.index ?? 0)
    return [...above.matchAll(/^(?:async )?function\*? *(?<name>\w+)/gm)].map(
      ({ groups }) => `${path}: ${groups!.name}`,
    )
  })
  expect(late).toEqual([])
})

test('a private function stands below the first that uses it: a reader meets each piece after what it is for', () => {
  const found = [...product, ...scripts].flatMap(findEarlyPieces)
  // A function of the script that nginx runs, in a text.
  expect(found).toEqual(['src/cli/gateway/recipes/nginx-njs-recipe.ts: refuse'])
})

test('a piece above its first use is found; one above a later use and the name of a property are not', () => {
  const text = `
export function first(): void {
  shared()
}
function shared(): void {}
/** Used by {@link second}. */
function early(): string[] {
  return []
}
function label(): string {
  return 'label'
}
function second(): void {
  shared()
  console.log([...early()], { label: 1 }.label)
}
`
  expect(findEarlyPieces(parse('made-up.ts', text))).toEqual(['made-up.ts: early'])
})

/** The private functions of a file that nothing above them uses, and something below does. */
function findEarlyPieces({ path, text }: Pick<SourceFile, 'path' | 'text'>): string[] {
  const code = text.replace(/^\s*\/\*\*[\s\S]*?\*\/$|\/\/ .*$/gm, (comment) => comment.replace(/\w/g, ' '))
  const declaration =
    /^(?:export )?(?:default )?(?:async )?(?<kind>function\*?|const|let|class|interface|type) (?<name>\w+)/gm
  const starts = [...code.matchAll(declaration)]
  const pieces = starts.map(({ index, 0: beginning, groups }, at) => ({
    name: groups!.name!,
    isPrivateFunction: /^(?:async )?function/.test(beginning),
    body: /^(interface|type)$/.test(groups!.kind!) ? '' : code.slice(index + beginning.length, starts[at + 1]?.index),
  }))
  const early = pieces.filter(({ name, isPrivateFunction }, at) => {
    if (!isPrivateFunction) return false
    const use = new RegExp(`(?<![\\w$]|(?<!\\.\\.)\\.)${name}\\b(?!\\??:)`)
    return pieces.findIndex(({ body }, other) => other !== at && use.test(body)) > at
  })
  return early.map(({ name }) => `${path}: ${name}`)
}
