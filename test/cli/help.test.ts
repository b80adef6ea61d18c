import { expect, test } from 'vitest'
import { importHelper, listHelpers } from '../../pkg-scripts/tree.ts'
import { createProgram } from '../../src/cli/program/run-cli.ts'
import { renderHelp } from '../../src/helper/run/help.ts'
import { listCommands } from './list-commands.ts'
import { createTestCli, runHere } from './run-here.ts'

/** Lines that could have been broken: what stands alone in its line or in its column is one word. */
function findWide(text: string, columns: number): string[] {
  const lines = text.split('\n').filter((line) => line.length > columns)
  return lines.filter((line) =>
    line
      .trim()
      .replace(/^\S.*? {2,}/, '')
      .includes(' '),
  )
}

test('the help of every command wraps at words, in the width of the terminal', async () => {
  const commands = listCommands(await createProgram((await createTestCli([])).cli))
  expect(commands.length).toBeGreaterThan(35)
  for (const words of commands) {
    const { stdout, ...rest } = await runHere([...words, '--help'])
    expect({ words, ...rest, wide: findWide(stdout, 80) }).toEqual({ words, stderr: '', status: 0, wide: [] })
  }
  const narrow = await runHere(['check-helper', '--help'], 60)
  const whole = await runHere(['check-helper', '--help'], 2000)
  expect(findWide(narrow.stdout, 60)).toEqual([])
  expect(narrow.stdout.split(/\s+/)).toEqual(whole.stdout.split(/\s+/))
})

test.each(listHelpers())('so does the help of %s', async (name) => {
  const helper = await importHelper(name)
  const files = { user: '/home/u/.config/gatepass/x.json', machine: '/etc/gatepass/x.json' }
  for (const columns of [undefined, 60])
    expect(findWide(renderHelp(name, helper, files, columns), columns ?? 80)).toEqual([])
})

test('the version and an error stay lines that scripts can read', async () => {
  expect((await runHere(['--version'], 40)).stdout).toMatch(/^gatepass \S+ \(commit .*\)\n$/)
  expect(await runHere(['config', 'check', '--jsn', 'a'], 40)).toEqual({
    status: 2,
    stdout: '',
    stderr:
      "gatepass: unknown option '--jsn'\n(Did you mean --json?)\ngatepass: hint: see: gatepass config check --help\n",
  })
})
