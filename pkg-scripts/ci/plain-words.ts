import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../tree.ts'

// Finds sentences that a stranger has to read twice, in comments and on pages, and says how many there are; `--all` prints them. It
// helps and does not judge: it fails only if there are more of them than before.

/** How many there are today. Whoever removes some lowers the number; nobody raises it. */
const most = 46

const patterns: readonly (readonly [pattern: RegExp, advice: string])[] = [
  [/(?:^|[.;] )(?:Of|Whose|Whoever|Whom) [a-z]/, 'begin with the subject'],
  [
    /(?:^|[.;] )(?:By what|Who|What|Where) (?!.*\?)[^.,;:]{1,60}\b(?:is|are|has|was)\b[^.]*[.]$/,
    'begin with the subject',
  ],
  [/(?<!there )\b(?:is|are) none\b/, 'say what it is not: "is not a …"'],
  [/\b(?:is|are) no (?:text|answer|token|JWT|one|such|file|name|number|key|address|list|object)\b/, 'say "is not a …"'],
]

interface Place {
  readonly place: string
  readonly sentence: string
  readonly advice: string
}

const places = [
  ...globSync('{src,helpers,pkg-scripts}/**/*.ts', { cwd: root }).flatMap((path) => findPlaces(path, listComments)),
  ...globSync(['*.md', 'docs/**/*.md'], { cwd: root })
    .filter((path) => path !== 'CHANGELOG.md')
    .flatMap((path) => findPlaces(path, listProse)),
]
if (process.argv.includes('--all') || places.length > most)
  for (const { place, sentence, advice } of places) console.log(`${place}: ${advice}: ${sentence}`)
console.log(`plain words: ${places.length} sentences to read again, of ${most} that are known`)
if (places.length > most) process.exitCode = 1

function findPlaces(path: string, list: (text: string) => readonly Line[]): Place[] {
  return list(readFileSync(join(root, path), 'utf8')).flatMap(({ number, text }) => {
    const found = patterns.find(([pattern]) => pattern.test(text))
    return found ? [{ place: `${path}:${number}`, sentence: text.slice(0, 120), advice: found[1] }] : []
  })
}

interface Line {
  readonly number: number
  readonly text: string
}

/** The first line of each comment, and each line after a full stop, without its marks. */
function listComments(text: string): Line[] {
  return text.split('\n').flatMap((line, index) => {
    const comment = /^\s*(?:\/\*\*|\*(?!\/)|\/\/)\s*(?<text>\S.*?)\s*(?:\*\/)?$/.exec(line)?.groups?.text
    return comment === undefined || isContinued(text, index) ? [] : [{ number: index + 1, text: comment }]
  })
}

/** Whether the line before ends in the middle of a sentence. */
function isContinued(text: string, index: number): boolean {
  const before = text.split('\n', index)[index - 1] ?? ''
  return /^\s*(?:\/\*\*|\*|\/\/)\s*\S/.test(before) && !/(?:[.:?!`*/]|\*\/)\s*$/.test(before)
}

/** The paragraphs of a page outside code. */
function listProse(text: string): Line[] {
  let isCode = false
  return text.split('\n').flatMap((line, index, lines) => {
    if (line.startsWith('```')) isCode = !isCode
    const isFirst = index === 0 || lines[index - 1] === '' || /[.:]$/.test(lines[index - 1]!)
    return isCode || !isFirst || /^(?:[|#>`]|\s*$)/.test(line)
      ? []
      : [{ number: index + 1, text: line.replace(/^[-*\d.]+ /, '') }]
  })
}
