import { expect, test } from 'vitest'
import { readFirstWords } from './first-words.ts'
import { product, type SourceFile, scripts, settings, targetsOf, tests } from './source-files.ts'
import { toFirstWord } from './syntax-tree.ts'

/** Exports that are read where no import shows it, and who reads them. */
const readOtherwise: readonly RegExp[] = [
  // The start of an executable, which the scripts that build it name in the text that they bundle.
  /^src\/suite\/main\.ts: main$/,
  /^pkg-scripts\/release\/shared\/print-shared-files\.ts: main$/,
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

const unread = listUnread(exported, [...product, ...scripts, ...tests, ...settings])

test('an export has a reader outside its file', () => {
  const unknown = unread.filter((place) => !readOtherwise.some((pattern) => pattern.test(place)))
  expect({ unknown, isAnyLeft: exported.length > 2000 }).toEqual({ unknown: [], isAnyLeft: true })
})

test('each pattern of exports with other readers matches an export', () => {
  expect(readOtherwise.filter((pattern) => !unread.some((place) => pattern.test(place)))).toEqual([])
})

const readByTests = listReadByTests()

test('a function that only tests read is pure: a table of values needs neither a server nor a disk', () => {
  const isPure = ({ path, name }: { path: string; name: string }) =>
    wordsThatChangeNothing.has(toFirstWord(name)) && functionsThatGiveAtOnce(path).has(name)
  const impure = readByTests.filter((each) => !isPure(each)).map(({ path, name }) => `${path}: ${name}`)
  expect(impure.toSorted()).toEqual(Object.values(readAlone).flat().toSorted())
})

test('few exports are read by tests alone: a test that calls what a caller calls needs none', () => {
  expect(readByTests.length, readByTests.map(({ path, name }) => `${path}: ${name}`).join('\n')).toBe(mostReadByTests)
})

/** Only ever lowered: with fewer such exports, write their number here; with more, test the new function through its caller. */
const mostReadByTests = 70

/** The exports that only tests read although they do more than compute a value, by the reason why their callers are not enough. */
const readAlone: Readonly<Record<string, readonly string[]>> = {
  'the program, with a terminal or a host of the test': [
    'src/cli/run-cli.ts: runCli',
    'src/helper/run/run-helper.ts: runHelper',
  ],
  'a table that a page or another program lists too, and a test compares both': [
    'pkg-scripts/docs/helper-rows.ts: renderHelperPages',
    'pkg-scripts/envoy/download-definitions.ts: packages',
    'src/runtime/program/identity-variables.ts: identityFamilies',
    'src/runtime/program/identity-variables.ts: identityNames',
    'src/sources/aws/diagnosis/compare-chains.ts: differences',
    'src/sources/program/known-files.ts: knownPrograms',
  ],
  'a structure whose laws hold for made-up sequences that no caller makes': [
    'src/fleet/day/fleet-play.ts: SimulatedProvider',
    'src/fleet/day/simulate-fleet.ts: CalendarQueue',
    'src/runtime/standard-streams.ts: Outlet',
    'src/verify/request-limits.ts: RateTable',
  ],
  'pauses, limits or moments that a caller leaves to the clock or to another process': [
    'pkg-scripts/bench/paging.ts: measurePaging',
    'src/client/check/runs/exposed-files.ts: collectReadableFiles',
    'src/runtime/files/log-file.ts: rotateLog',
    'src/sources/oauth/run-flow.ts: repeatOpening',
    'src/sources/oauth/run-flow.ts: waitForStore',
    'src/sources/oauth/store/renew-sign-in.ts: renewAtProvider',
  ],
  'a far side that a caller reaches only on another system, or behind other requests': [
    'src/client/session/send-turn.ts: readAnswer',
    'src/outcomes/destinations/system-log-destination.ts: writeToEventLog',
    'src/runtime/network/network-agent.ts: openTunnel',
    'src/sources/oauth/oidc/sign-in/run-oidc-sign-in.ts: createAuthorizationRequest',
    'src/sources/oidc-token/mint-exchange.ts: exchangeAtPlatform',
    'src/verify/jwt/issuer-keys.ts: fetchKeySet',
  ],
  'a step whose result its callers only pass on': [
    'src/cli/setup/try-setup.ts: resolveTried',
    'src/client/check/check-helper.ts: readFileKind',
    'src/fleet/logs/read-logs.ts: streamText',
    'src/helper/memo/answer-from-memo.ts: answerFromMemo',
    'src/helper/run/cached-or-minted.ts: serveToken',
  ],
}

/** The first words that the glossary calls pure, or says to change nothing, and those that look for a value or make one. */
const wordsThatChangeNothing = new Set([
  ...readFirstWords('functions', (meaning) => /\b(?:pure|changes nothing)\b/.test(meaning)),
  ...['find', 'list', 'locate', 'require', 'refuse', 'create', 'sign'],
])

/** Returns the functions of a file that give their result at once: no promise of them can wait for anything. */
function functionsThatGiveAtOnce(path: string): Set<string> {
  const { text } = [...product, ...scripts].find((file) => file.path === path)!
  return new Set([...text.matchAll(/^export function (?<name>\w+)/gm)].map(({ groups }) => groups!.name!))
}

function listReadByTests() {
  const place = ({ path, name }: { path: string; name: string }) => `${path}: ${name}`
  const unread = new Set(listUnread(exported, [...product, ...scripts, ...tests, ...settings]))
  const inProgram = listExported([...product, ...scripts])
  const notInProgram = new Set(listUnread(inProgram, [...product, ...scripts, ...settings]))
  return inProgram.filter((each) => notInProgram.has(place(each)) && !unread.has(place(each)))
}

function listExported(files: readonly SourceFile[]) {
  return files.flatMap(({ path, text }) => listExports(text).map((name) => ({ path, name })))
}

/** Lists the exports that none of these files reads. */
function listUnread(exported: ReturnType<typeof listExported>, files: readonly SourceFile[]): string[] {
  const readers = Map.groupBy(files.flatMap(listReadings), ({ target }) => target)
  return exported
    .filter(({ path, name }) => !readers.get(path)?.some(({ words }) => words.has(name)))
    .map(({ path, name }) => `${path}: ${name}`)
}

/** Lists the imports of a file from ours, with the words that it uses: a name among them is taken for read, however it is imported. */
function listReadings(file: SourceFile) {
  const words = new Set(file.text.match(/\w+/g))
  return targetsOf(file)
    .filter(({ target }) => target !== file.path)
    .map(({ target }) => ({ target, words }))
}

/** Lists the names that a file declares and exports; a text within it is indented or has a line of its own for its end. */
function listExports(text: string): string[] {
  const code = text.replace(/`(?:[^`\\]|\\.)*`/gs, '``')
  const declaration =
    /^export (?:(?:declare|abstract|async) )*(?:function\*?|const|let|class|interface|type) *(?<name>\w+)/gm
  return [...code.matchAll(declaration)].map(({ groups }) => groups!.name!)
}
