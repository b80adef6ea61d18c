import { describe, expect, test } from 'vitest'
import { imports, product, scripts, uses } from './source-files.ts'

const named = (path: string) => product.find((file) => file.path === path)

describe('the world is an argument', () => {
  const outermost = (path: string) => path === 'src/runtime/host.ts' || path.startsWith('src/cli/')

  test('only the host and the command touch `process`', () => {
    const found = product.filter(
      (file) => !outermost(file.path) && (uses(file, 'process') || imports(file, /^(node:)?process$/)),
    )
    expect({ found: found.map(({ path }) => path), isInHost: uses(named('src/runtime/host.ts')!, 'process') }).toEqual({
      found: [],
      isInHost: true,
    })
  })

  test('only the command and the scripts print through `console`', () => {
    const found = product.filter((file) => !file.path.startsWith('src/cli/') && uses(file, 'console'))
    expect({
      found: found.map(({ path }) => path),
      isInScripts: scripts.some((file) => uses(file, 'console')),
    }).toEqual({ found: [], isInScripts: true })
  })
})
