import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { root } from '../../../pkg-scripts/tree.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

const cases = [
  {
    name: 'a test that passes without others beside it',
    body: 'expect(1).toBe(1)',
    ends: { status: 0, says: ['Passed only without other tests beside them:', '  a.test.ts > late'] },
    passes: 2,
  },
  {
    name: 'a file whose process ended before one of its tests did',
    body: 'expect(1).toBe(1)',
    ended: [],
    ends: { status: 0, says: ['Passed only without other tests beside them:', '  a.test.ts'] },
    passes: 2,
  },
  { name: 'a test that fails again', body: 'expect(1).toBe(2)', ends: { status: 1, says: [] }, passes: 1 },
  {
    name: 'more files than others beside them can make fail',
    body: 'expect(1).toBe(1)',
    others: 3,
    ends: { status: 1, says: ['4 files failed: none is run again'] },
    passes: 1,
  },
]

test.each(cases)('the status and the report tell of $name', async ({ body, ended, others = 0, ends, passes }) => {
  const directory = await temporaryDirectory()
  await symlink(join(root, 'node_modules'), join(directory, 'node_modules'))
  await writeFile(
    join(directory, 'a.test.ts'),
    `import { expect, test } from 'vitest'\ntest('late', () => { ${body} })\n`,
  )
  const report = join(directory, 'report.json')
  await writeFile(report, JSON.stringify(createReport(directory, others, ended)))
  const script = join(root, 'pkg-scripts/ci/try-alone.ts')
  const { exitCode, stdout } = await execa(process.execPath, [script, report], { cwd: directory, reject: false })
  const refuse = [join(root, 'pkg-scripts/ci/refuse-skipped.ts'), report]
  const after = await execa(process.execPath, refuse, { cwd: directory, reject: false })
  const lines = stdout.split('\n')
  expect({
    status: exitCode,
    says: lines.filter((line) => /^ {2}a\.test|^Passed only|run again$/.test(line)),
    report: after.stdout,
  }).toEqual({
    ...ends,
    report: `${report}: ${passes} of ${2 + others} tests passed${passes === 2 ? '' : ': some were skipped or failed'}`,
  })
})

const failedTest = { status: 'failed', fullName: 'late' }

/** @param ended The tests that have ended of each file that failed. */
function createReport(directory: string, others: number, ended: readonly object[] = [failedTest]): object {
  const late = (name: string) => ({ name: join(directory, name), status: 'failed', assertionResults: ended })
  const passed = {
    name: join(directory, 'b.test.ts'),
    status: 'passed',
    assertionResults: [{ status: 'passed', fullName: 'quick' }],
  }
  const more = Array.from({ length: others }, (_, index) => late(`c${index}.test.ts`))
  return { numTotalTests: 2 + others, numPassedTests: 1, testResults: [passed, late('a.test.ts'), ...more] }
}
