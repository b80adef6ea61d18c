// Finds sentences that a stranger has to read twice: in comments, messages and titles of tests, and in the text and tables of pages.

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAst } from 'vitest/node'
import { root } from '../tree.ts'
import { parseRestatedNames } from './restated-names.ts'

type Pattern = readonly [pattern: RegExp, advice: string]

const patterns: readonly Pattern[] = [
  [/(?:^|[.;] )(?:Of|Whose|Whoever|Whom) [a-z]/, 'begin with the subject'],
  [
    /(?:^|[.;] )(?:By what|Who|What|Where) (?!.*\?)[^.,;:]{1,60}\b(?:is|are|has|was)\b[^.]*[.]$/,
    'begin with the subject',
  ],
  [/(?:^|[.;] )[Ww]hether (?!.*\?)[^.,;:]{1,80} cannot be (?:seen|found out|known)\b/, 'begin with the subject'],
  [/(?<!there )\b(?:is|are) none\b/, 'say what it is not: "is not a …"'],
  [
    /(?<!there )\b(?:is|are) no (?:text|answer|token|JWT|JSON|one|such|file|folder|name|number|key|address|list|object|format|call|terminal|document|secret|helper|verdict)\b/,
    'say "is not a …"',
  ],
  [/, and (?:is )?no (?:folder|document|JSON)\b/, 'say "not a …"'],
  [/\bleave (?:\S+ ){1,5}out\b(?! of)/, 'say "remove …"'],
  [/\bin the place of\b/, 'say "in place of" or "instead of"'],
  [/\b(?:every|any)body on the way\b/, 'say "anybody on the network"'],
  [/\b(?:of yours|look (?:what|whether)|see to it that)\b/, 'say it in plain words'],
]

/** The beginning of a comment that has no subject of its own. */
const bare: Pattern = [/^(?:Of|Whose|Whom|Who|What|Which|By what) (?!.*\?$)[a-z]/, 'begin with the subject']

/** The title of a test that continues no other one. */
const bareTitle: Pattern = [/^(?:of|whose|whom|who) (?!.*\?$)/, 'begin with the subject']

/** A comment that says how or when, and not what. */
const fragment: Pattern = [/^(?:For|With|As|After|Before) [^,:;]{1,40}\.$/, 'say what it is: a subject and a verb']

interface Line {
  readonly number: number
  readonly text: string
}

const sources = globSync('{src,helpers,pkg-scripts}/**/*.ts', { cwd: root })
const views = globSync('src/**/*.tsx', { cwd: root })
const tests = globSync('test/**/*.ts', { cwd: root })
const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: root }).filter((path) => path !== 'CHANGELOG.md')
const found = [
  ...sources
    .filter((path) => !path.startsWith('pkg-scripts/'))
    .flatMap((path) => listPlaces(path, listComments, [...patterns, fragment])),
  ...sources.filter((path) => path !== 'pkg-scripts/ci/plain-words.ts').flatMap((path) => listPlaces(path, listTexts)),
  ...views.flatMap((path) => listPlaces(path, (text) => listTexts(text, 'tsx'))),
  ...tests.flatMap((path) => listPlaces(path, listTitles)),
  ...tests.flatMap((path) => listPlaces(path, listTopTitles, [bareTitle])),
  ...[...tests, ...sources.filter((path) => path.startsWith('pkg-scripts/'))].flatMap((path) =>
    listPlaces(path, listComments, [...patterns, bare, fragment]),
  ),
  ...pages.flatMap((path) => listPlaces(path, listProse)),
  ...[...sources, ...tests].flatMap(listRestatedNames),
]
for (const line of found) console.log(line)
console.log(`plain words: ${found.length} sentences to read again`)
if (found.length > 0) process.exitCode = 1

function listPlaces(path: string, list: (text: string) => readonly Line[], sought = patterns): string[] {
  return list(readFileSync(join(root, path), 'utf8')).flatMap(({ number, text }) => {
    const pattern = sought.find(([pattern]) => pattern.test(text))
    return pattern ? [`${path}:${number}: ${pattern[1]}: ${text.slice(0, 120)}`] : []
  })
}

function listRestatedNames(path: string): string[] {
  const found = parseRestatedNames(readFileSync(join(root, path), 'utf8'))
  return found.map(
    ({ number, comment, name }) => `${path}:${number}: say what ${name} does not, or nothing: ${comment}`,
  )
}

/** Lists the first line of each comment, and each line after a full stop, without its marks. */
function listComments(text: string): Line[] {
  return text.split('\n').flatMap((line, index) => {
    const comment = /^\s*(?:\/\*\*|\*(?!\/)|\/\/)\s*(?<text>\S.*?)\s*(?:\*\/)?$/.exec(line)?.groups?.text
    return comment === undefined || isContinued(text, index) ? [] : [{ number: index + 1, text: comment }]
  })
}

/** Returns whether the line before ends in the middle of a sentence. */
function isContinued(text: string, index: number): boolean {
  const before = text.split('\n', index)[index - 1] ?? ''
  return /^\s*(?:\/\*\*|\*|\/\/)\s*\S/.test(before) && !/(?:[.:?!`*/]|\*\/)\s*$/.test(before)
}

/** Lists the string literals that have words, and the text between the tags of a page; what a template fills in is shown as `…`. */
function listTexts(text: string, lang: 'ts' | 'tsx' = 'ts'): Line[] {
  const literals = listNodes(parseAst(text, { lang })).flatMap((node) => {
    if ((node.type === 'Literal' || node.type === 'JSXText') && typeof node.value === 'string')
      return [{ at: node.start, words: node.value }]
    if (node.type !== 'TemplateLiteral') return []
    return [{ at: node.start, words: node.quasis.map(({ value }) => value.cooked).join('…') }]
  })
  const prose = literals.filter(({ words }) => /[a-z]{2,},? [a-z]{2,}/.test(words))
  return prose.flatMap(({ at, words }) => {
    const number = text.slice(0, at).split('\n').length
    return words.split('\n').map((line, index) => ({ number: number + index, text: line.replace(/^\W+(?=\w)/, '') }))
  })
}

/** Lists the first argument of each `test` and `describe`, also behind a table of cases. */
function listTitles(text: string): Line[] {
  const titles = text.matchAll(
    /^ *(?:(?:test|describe)\b[^\n]*?|[\])][^\n]*?\))\(\s*(?<quote>['`"])(?<title>[^\n]+?)\k<quote>,\s/gm,
  )
  return [...titles].map(({ index, groups }) => ({
    number: text.slice(0, index).split('\n').length,
    text: groups!.title!,
  }))
}

/** Lists the titles that stand alone: within a `describe`, one continues that of the group. */
function listTopTitles(text: string): Line[] {
  const lines = text.split('\n')
  return listTitles(text).filter(({ number }) => /^(?:test|[\])])/.test(lines[number - 1]!))
}

/** Lists the first line of each paragraph, and the cells of each table, outside code. */
function listProse(text: string): Line[] {
  let isCode = false
  return text.split('\n').flatMap((line, index, lines) => {
    if (line.startsWith('```')) isCode = !isCode
    if (isCode || /^(?:[#>`]|\s*$)/.test(line)) return []
    const number = index + 1
    if (line.startsWith('|')) return line.split(/ *\| */).map((cell) => ({ number, text: cell }))
    const isFirst = index === 0 || lines[index - 1] === '' || /[.:]$/.test(lines[index - 1]!)
    return isFirst ? [{ number, text: line.replace(/^[-*\d.]+ /, '') }] : []
  })
}

interface SyntaxNode {
  readonly type: string
  readonly start: number
  readonly value?: unknown
  readonly quasis: readonly { readonly value: { readonly cooked: string } }[]
}

/** Lists every node below a value of a syntax tree, except imports. */
function listNodes(value: unknown): SyntaxNode[] {
  if (Array.isArray(value)) return value.flatMap(listNodes)
  if (typeof value !== 'object' || value === null) return []
  const own = 'type' in value ? [value as SyntaxNode] : []
  return own[0]?.type === 'ImportDeclaration' ? [] : [...own, ...Object.values(value).flatMap(listNodes)]
}
