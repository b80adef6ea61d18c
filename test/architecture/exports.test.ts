import { expect, test } from 'vitest'
import { product, type SourceFile, scripts, settings, targetsOf, tests } from './source-files.ts'

/** Exports that are read where no import shows it, and who reads them. */
const readOtherwise: readonly RegExp[] = [
  // The start of an executable, which the scripts that build it name in the text that they bundle.
  /^src\/suite\/main\.ts: main$/,
  /^src\/helper\/memo\/answer-from-memo\.ts: answerOrLoad$/,
  /^pkg-scripts\/wine\/check-keychain\.ts: start$/,
  /^test\/executables\/windows\/test-program\.ts: start$/,
  // The sources that the contract's tests count calls at; they find them by the name of the helper.
  /^test\/helpers\/[a-z0-9-]+\/countable-source\.ts: startSource$/,
  // What Vitest calls before a project's tests.
  /^test\/setup\/[a-z-]+\.ts: setup$/,
  // The types of a package that brings none.
  /\.d\.ts: /,
]

test('an export has a reader outside its file', () => {
  const files = [...product, ...scripts, ...tests, ...settings]
  const readers = Map.groupBy(files.flatMap(listReadings), ({ target }) => target)
  const exported = files.flatMap(({ path, text }) => listExports(text).map((name) => ({ path, name })))
  const unread = exported
    .filter(({ path, name }) => !readers.get(path)?.some(({ words }) => words.has(name)))
    .map(({ path, name }) => `${path}: ${name}`)
  expect(unread.filter((place) => !readOtherwise.some((pattern) => pattern.test(place)))).toEqual([])
  expect(readOtherwise.filter((pattern) => !unread.some((place) => pattern.test(place)))).toEqual([])
  expect(exported.length).toBeGreaterThan(2000)
})

/** The imports of a file from ours, with the words that it uses: a name among them is taken for read, however it is imported. */
function listReadings(file: SourceFile) {
  const words = new Set(file.text.match(/\w+/g))
  return targetsOf(file)
    .filter(({ target }) => target !== file.path)
    .map(({ target }) => ({ target, words }))
}

/** The names that a file declares and exports; a text within it is indented or has a line of its own for its end. */
function listExports(text: string): string[] {
  const code = text.replace(/`(?:[^`\\]|\\.)*`/gs, '``')
  const declaration =
    /^export (?:(?:declare|abstract|async) )*(?:function\*?|const|let|class|interface|type) *(?<name>\w+)/gm
  return [...code.matchAll(declaration)].map(({ groups }) => groups!.name!)
}
