import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listHelpers, root } from '../../../pkg-scripts/tree.ts'
import { version } from '../../../src/version.ts'
import { type Outcome, prints, runExecutable } from '../../setup/run-program.ts'

const [helper = ''] = listHelpers()

const runScript = (script: string, ...argv: string[]): Promise<Outcome> =>
  runExecutable(process.execPath, { argv: [join(root, 'pkg-scripts', 'run', script), ...argv] })

test.each([
  ['a helper', 'helper.ts', [helper], helper],
  ['the command', 'gatepass.ts', [], 'gatepass'],
])('%s runs from source', async (_what, script, argv, program) => {
  expect(await runScript(script, ...argv, '--version')).toEqual(
    prints(expect.stringMatching(`^${program} ${version} \\(commit unknown, `)),
  )
})

test('a helper that does not exist is refused with the names of those that do', async () => {
  expect(await runScript('helper.ts', 'none')).toEqual({
    status: 2,
    stdout: '',
    stderr: `run-helper: the first argument is one of ${listHelpers().join(', ')}\n`,
  })
})
