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

const exported = listExported([...product, ...scripts, ...tests, ...settings])

test('an export has a reader outside its file', () => {
  const unread = listUnread(exported, [...product, ...scripts, ...tests, ...settings])
  expect(unread.filter((place) => !readOtherwise.some((pattern) => pattern.test(place)))).toEqual([])
  expect(readOtherwise.filter((pattern) => !unread.some((place) => pattern.test(place)))).toEqual([])
  expect(exported.length).toBeGreaterThan(2000)
})

test('few exports have no reader but tests, and fewer with each change: a test that calls what a caller calls needs none', () => {
  const unread = listUnread(exported, [...product, ...scripts, ...tests, ...settings])
  const notInProgram = listUnread(listExported([...product, ...scripts]), [...product, ...scripts, ...settings])
  const readByTests = notInProgram.filter((place) => !unread.includes(place))
  expect(readByTests.length, readByTests.join('\n')).toBe(mostReadByTests)
})

/** Only ever lowered: with fewer such exports, write their number here; with more, test the new function through its caller. */
const mostReadByTests = 144

function listExported(files: readonly SourceFile[]) {
  return files.flatMap(({ path, text }) => listExports(text).map((name) => ({ path, name })))
}

/** The exports that none of these files reads. */
function listUnread(exported: ReturnType<typeof listExported>, files: readonly SourceFile[]): string[] {
  const readers = Map.groupBy(files.flatMap(listReadings), ({ target }) => target)
  return exported
    .filter(({ path, name }) => !readers.get(path)?.some(({ words }) => words.has(name)))
    .map(({ path, name }) => `${path}: ${name}`)
}

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
