/** The width of a text where no terminal says its own, in characters. */
export const defaultColumns = 80

/**
 * Breaks lines that are wider than `columns` between words; a longer word stays whole. What follows a break keeps the
 * indentation of its line, or begins below the second column where the line has two and a third of the width is left.
 */
export function wrapWords(text: string, columns: number): string {
  return text
    .split('\n')
    .map((line) => (line.length <= columns ? line : wrapLine(line, columns)))
    .join('\n')
}

function wrapLine(line: string, columns: number): string {
  const indentation = /^ */.exec(line)?.[0] ?? ''
  const column = /^ *\S.*? {2,}(?=\S)/.exec(line)?.[0] ?? indentation
  const indent = ' '.repeat(columns - column.length >= columns / 3 ? column.length : indentation.length)
  const [first = '', ...words] = line.slice(column.length).split(' ')
  const lines = [column + first]
  for (const word of words) {
    const last = lines.at(-1) ?? ''
    if (last.length + 1 + word.length <= columns) lines.splice(-1, 1, `${last} ${word}`)
    else lines.push(indent + word)
  }
  return lines.join('\n')
}
