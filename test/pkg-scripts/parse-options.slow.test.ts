import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from '../../pkg-scripts/tree.ts'
import { fails, prints, runExecutable } from '../setup/run-program.ts'

/** Every script that is run by hand and takes arguments. Those that hand them on, and those that take none, have no help. */
const scripts = globSync('pkg-scripts/**/*.ts', { cwd: root }).filter((path) =>
  /= parse(Options|Args)\(/.test(readFileSync(join(root, path), 'utf8')),
)

const run = (script: string, ...argv: string[]) =>
  runExecutable(process.execPath, { argv: [join(root, script), ...argv], env: { PATH: process.env.PATH ?? '' } })

describe.each(scripts)('%s', (script) => {
  test('prints with --help what it does and takes', async () => {
    const { status, stdout, stderr } = await run(script, '--help')
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toMatch(/^[A-Z][^\n]+\.\n\nUsage: (npm run|node) \S+.*\n\n( {2}--\S+.*\n)* {2}--help .*\n$/)
  })

  test('names an option that it does not have, and how to find the right one', async () => {
    const { status, stdout, stderr } = await run(script, '--no-such-option')
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toMatch(
      /^(\S+): unknown option '--no-such-option'\n\1: hint: see what it takes with: (npm run|node) \S+( --)? --help\n$/,
    )
  })
})

test('a missing value is named as well', async () => {
  expect(await run('pkg-scripts/build/build.ts', '--target')).toEqual(
    fails('build', 2, "option '--target <value>' argument missing", 'see what it takes with: npm run build -- --help'),
  )
})

test('npm run build lists its options', async () => {
  expect(await run('pkg-scripts/build/build.ts', '--help')).toEqual(
    prints(`Builds bundles and executables, in dist/.

Usage: npm run build -- [OPTIONS]

  --target TARGET  executables of this platform, such as linux-arm64, or all; absent, of this machine; it may be given several times
  --separate NAME  the executable of this helper alone; it may be given several times
  --vendor FILE    the vendor file with the names of your client
  --analyze        only bundles, and a list of what is in each
  --help           prints this
`),
  )
})

test('a target without a runtime is named with those that there are', async () => {
  expect(await run('pkg-scripts/executable/origin/print-origins.ts', '--target', 'amiga')).toEqual({
    status: 2,
    stdout: '',
    stderr: `runtimes: there is no runtime for amiga
runtimes: hint: choose a target: darwin-arm64, darwin-x64, linux-arm64, linux-x64, win32-arm64, win32-x64
`,
  })
})
