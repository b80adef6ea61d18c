import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../pkg-scripts/tree.ts'

/** A file or folder of this project between backticks; `NAME` stands for any helper. Behind a path of another project is ` of OWNER/NAME`. */
const path = /`(?<path>(?:src|helpers|test|pkg-scripts|oldest-node|packaging)\/[\w./-]*(?:\.ts|\/))`(?! of \w+\/)/g

/** Lists the paths that a text names and that do not exist. */
function listStalePaths(text: string): string[] {
  const named = [...text.matchAll(path)].map(({ groups }) => groups!.path!).filter((name) => !name.includes('NAME'))
  return named.filter((name) => !existsSync(join(root, name)))
}

test('every path of this project that a page or a comment names exists', () => {
  const files = globSync(['*.md', 'docs/**/*.md', '{src,helpers,pkg-scripts,test}/**/*.ts'], { cwd: root })
  const stale = files
    .filter((file) => file !== 'CHANGELOG.md')
    .flatMap((file) => listStalePaths(readFileSync(join(root, file), 'utf8')).map((name) => `${file}: ${name}`))
  expect(stale).toEqual([])
})

test('a path that does not exist is found', () => {
  expect(
    listStalePaths(`\`src/vendor.ts\`, \`src/runtime/\`, \`test/helpers/NAME/\` and \`${'src'}/gone.ts\``),
  ).toEqual(['src/gone.ts'])
})
