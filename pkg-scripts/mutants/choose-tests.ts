import { globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from '../tree.ts'

/**
 * Returns the quick tests that mirror a folder or file of sources: those of `src/NAME.ts` are `test/NAME.test.ts` or what lies in
 * `test/NAME/`, else all in the nearest folder above that has any.
 */
export function chooseTests(source: string, tree: string = root): string[] {
  const mirror = join('test', source.replace(/^src\//, '').replace(/\.ts$/, ''))
  const own = listTests([`${mirror}.test.ts`, mirror], tree)
  return own.length > 0 || dirname(mirror) === 'test' ? own : chooseTests(dirname(source), tree)
}

/** The quick tests among the given paths; a folder means all tests in it. */
export function listTests(named: readonly string[], tree: string = root): string[] {
  const patterns = named.flatMap((path) => [path, `${path}/**/*.test.ts`])
  const found = globSync(patterns, { cwd: tree }).map((path) => path.replaceAll('\\', '/'))
  return [...new Set(found)].filter((path) => path.endsWith('.test.ts') && !path.endsWith('.slow.test.ts')).sort()
}
