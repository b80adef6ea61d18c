import { expect, test } from 'vitest'
import { product, type SourceFile } from './source-files.ts'
import { parseNodes, type SyntaxNode } from './syntax-tree.ts'

/** Texts that two files write all the same, and why. */
const twice: readonly string[] = [
  // The client's side imports nothing from the exchange.
  'have the identity provider add it',
  // The names of the vendor are read before everything else.
  'it is not a JSON object',
  // An example, which the help of the program shows without loading the command.
  'gatepass choose --gateway bedrock --people aws --client desktop',
]

test('a sentence of six words or more stands in one file: whoever corrects it corrects it everywhere', () => {
  // The declaration of a helper is one file, whatever another one says.
  const src = product.filter(({ path }) => path.startsWith('src/'))
  expect(findRepeated(src)).toEqual(twice.toSorted())
})

test('a text of two files is found unless it is a type or an element of a page', () => {
  const template = ['`', '{x}, and these words end two templates`'].join('$')
  const one = `const a = 'two files contain this one sentence'\nconst b = ${template}\n`
  const two = "type Kind = 'a kind that two files name here'\nconst page = '<p class=\"a b c d e f\">'\n"
  const kind = "const kind = 'a kind that two files name here'\nconst page = '<p class=\"a b c d e f\">'\n"
  const files = [one, one, two, kind, kind].map((text, at) => ({ path: `${at}.ts`, text }))
  expect(findRepeated(files)).toEqual([', and these words end two templates', 'two files contain this one sentence'])
})

function findRepeated(files: readonly Pick<SourceFile, 'path' | 'text'>[]): string[] {
  const texts = files.flatMap((file) => listTexts(file).map((text) => ({ text, path: file.path })))
  const kinds = new Set(files.flatMap(listKinds))
  return [...Map.groupBy(texts, ({ text }) => text)]
    .filter(([text, found]) => isSentence(text) && !kinds.has(text) && new Set(found.map(({ path }) => path)).size > 1)
    .map(([text]) => text)
    .toSorted()
}

function isSentence(text: string): boolean {
  return (text.match(/[A-Za-z']+/g)?.length ?? 0) >= 6 && / .+ .+ /.test(text) && !text.includes('<')
}

/** The texts and the pieces of templates in a file, with one space where it has several or a line break. */
function listTexts(file: Pick<SourceFile, 'path' | 'text'>): string[] {
  return parseNodes(file).flatMap(({ type, value }: SyntaxNode & { readonly value?: unknown }) => {
    const text = type === 'TemplateElement' ? (value as { cooked?: string }).cooked : type === 'Literal' ? value : ''
    return typeof text === 'string' ? [text.trim().replace(/\s+/g, ' ')] : []
  })
}

/** Lists the members of union types: the compiler compares them wherever they stand. */
function listKinds(file: Pick<SourceFile, 'path' | 'text'>): string[] {
  return parseNodes(file).flatMap(({ type, literal }: SyntaxNode & { readonly literal?: { value?: unknown } }) =>
    type === 'TSLiteralType' && typeof literal?.value === 'string' ? [literal.value] : [],
  )
}
