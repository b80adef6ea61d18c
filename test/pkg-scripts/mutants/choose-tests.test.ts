import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { chooseTests, listTests } from '../../../pkg-scripts/mutants/choose-tests.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

async function startTree(): Promise<string> {
  const tree = await temporaryDirectory()
  const paths = ['a/one.test.ts', 'a/b/two.test.ts', 'a/b/two.slow.test.ts', 'a/b/stage.ts', 'helpers/tool/x.test.ts']
  for (const path of paths) {
    await mkdir(dirname(join(tree, 'test', path)), { recursive: true })
    await writeFile(join(tree, 'test', path), '')
  }
  return tree
}

test.each<[source: string, tests: string[]]>([
  ['src/a', ['test/a/b/two.test.ts', 'test/a/one.test.ts']],
  ['src/a/one.ts', ['test/a/one.test.ts']],
  ['src/a/b', ['test/a/b/two.test.ts']],
  ['src/a/b/untested.ts', ['test/a/b/two.test.ts']],
  ['src/a/c/d/untested.ts', ['test/a/b/two.test.ts', 'test/a/one.test.ts']],
  ['helpers/tool.ts', ['test/helpers/tool/x.test.ts']],
  ['src/version.ts', []],
])('%s has the quick tests that mirror it', async (source, tests) => {
  expect(chooseTests(source, await startTree())).toEqual(tests)
})

test('tests are named by file or folder, and slow tests do not count', async () => {
  const named = ['test/a/b', 'test/a/b/two.test.ts', 'test/a/b/two.slow.test.ts', 'test/a/none', 'test/a/b/stage.ts']
  expect(listTests(named, await startTree())).toEqual(['test/a/b/two.test.ts'])
})
