/** Lists the comments of one line whose words are all words of the name that they describe. Articles, plurals and the ends of verbs do not count. */
export function parseRestatedNames(text: string): RestatedName[] {
  const lines = text.split('\n')
  return lines.flatMap((line, index) => {
    const comment = /^\s*\/\*\* (?<comment>.*) \*\/$/.exec(line)?.groups?.comment
    const name = declaration.exec(lines[index + 1] ?? '')?.groups?.name
    if (comment === undefined || name === undefined) return []
    const known = new Set(listStems(name.replace(/(?<=[a-z\d])(?=[A-Z])/g, ' ')))
    return listStems(comment).every((stem) => known.has(stem)) ? [{ number: index + 1, comment, name }] : []
  })
}

/** A comment that tells no more than the name below it. */
interface RestatedName {
  /** The line of the comment, from 1 on. */
  readonly number: number
  readonly comment: string
  readonly name: string
}

/** The beginning of a declaration, of a member or of a row, up to its name. */
const declaration =
  /^\s*(?:(?:export|default|declare|abstract|async|readonly|static|get|function\*?|const|let|class|interface|type) +)*[#'"]?(?<name>[\w$-]+)/

/** The words that stand beside any noun. */
const articles = ['a', 'an', 'the', 'of', 'one', 'all', 'its', 'this']

function listStems(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  return words.filter((word) => !articles.includes(word)).map((word) => word.replace(/(?:ies|ied|y|es|ed|e|s)$/, ''))
}
