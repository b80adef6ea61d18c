import { expect, test } from 'vitest'
import { product, type SourceFile, scripts, targetsOf } from './source-files.ts'

const files = new Map([...product, ...scripts].map((file) => [file.path, file]))

/** Lists everything that a module has evaluated before itself: what it imports, and what that imports. */
function listEvaluated(path: string, found = new Set<string>()): Set<string> {
  found.add(path)
  for (const target of listImports(files.get(path))) if (!found.has(target)) listEvaluated(target, found)
  return found
}

function listImports(file: SourceFile | undefined): string[] {
  return file ? targetsOf(file).flatMap(({ target, kind }) => (kind === 'value' ? [target] : [])) : []
}

// Their modules would have the names of the build, whatever the machine says.
test.each([
  'src/helper/memo/answer-from-memo.ts',
  'src/helper/memo/before-names.ts',
  'pkg-scripts/bundle/loader/executable.ts',
  'pkg-scripts/bundle/loader/file.ts',
  'pkg-scripts/run/prepare-names.ts',
])('%s runs before the names are known, and imports none', (path) => {
  const evaluated = listEvaluated(path)
  expect({ hasNames: evaluated.has('src/vendor.ts'), isFollowed: evaluated.size > 3 }).toEqual({
    hasNames: false,
    isFollowed: true,
  })
})

test('a file that uses a name is found through the files that import it', () => {
  expect(listEvaluated('src/helper/run/run-helper.ts').has('src/vendor.ts')).toBe(true)
})
