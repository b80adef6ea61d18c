import { readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { root } from '../../pkg-scripts/tree.ts'
import { temporaryDirectory } from './temporary-directory.ts'

test('a test that holds its process is ended with its place, and its file and those behind it count as failed', async () => {
  const directory = await temporaryDirectory()
  const setup = join(root, 'test/setup')
  await symlink(join(root, 'node_modules'), join(directory, 'node_modules'))
  const importTest = `import { test } from 'vitest'`
  const files = {
    // Vitest runs the largest file first.
    'a.test.ts': `${importTest}\ntest('quick', () => {})\n// ${'-'.repeat(1000)}`,
    'b.test.ts': `${importTest}\ntest('quick', () => {})\ntest('endless', () => {\n  for (;;);\n})`,
    'c.test.ts': `${importTest}\ntest('quick', () => {})`,
    'vitest.config.ts': [
      `import { TestReport } from '${setup}/test-report.ts'`,
      `const execArgv = ['--import', '${setup}/watch-worker.ts']`,
      `export default { test: { execArgv, isolate: false, maxWorkers: 1, reporters: [new TestReport('report.json')] } }`,
    ].join('\n'),
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text)
  const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...Object.keys(files).slice(0, 3)]
  const { exitCode, stderr } = await execa(process.execPath, vitest, {
    cwd: directory,
    env: { STANDSTILL_LIMIT_MS: '2000' },
    reject: false,
  })
  const passed = { fullName: 'quick', status: 'passed' }
  expect({
    exitCode,
    place: /The event loop .*\n.*\.ts/.exec(stderr)?.[0].replace(pathToFileURL(directory).href, '.'),
    report: JSON.parse((await readFile(join(directory, 'report.json'), 'utf8')).replaceAll(directory, '.')),
  }).toEqual({
    exitCode: 1,
    place: 'The event loop has stood still for 2 s, in:\n    (anonymous), ./b.test.ts',
    report: {
      numTotalTests: 3,
      numPassedTests: 1,
      testResults: [
        { name: './a.test.ts', status: 'passed', assertionResults: [passed] },
        {
          name: './b.test.ts',
          status: 'failed',
          assertionResults: [
            { fullName: 'quick', status: 'pending' },
            { fullName: 'endless', status: 'pending' },
          ],
        },
        { name: './c.test.ts', status: 'failed', assertionResults: [] },
      ],
    },
  })
})
