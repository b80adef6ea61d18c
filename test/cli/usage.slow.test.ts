import { expect, test } from 'vitest'
import { fails } from '../setup/run-program.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { runGatepass, runOnPath } from './run-gatepass.ts'

const subcommands = ['check', 'convert', 'export', 'fields', 'schema', 'init', 'diff']

test.each([[], ['config'], ...subcommands.map((name) => ['config', name]), ['completion']])(
  'gatepass %s %s --help says what it is for',
  async (...words) => {
    const { status, stdout, stderr } = await runGatepass(...words, '--help')
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toMatch(new RegExp(`^Usage: ${['gatepass', ...words].join(' ')} .*\n\n\\w`))
  },
)

test('the help of every subcommand whose status has a meaning names it', async () => {
  const texts = await Promise.all(subcommands.map((name) => runGatepass('config', name, '--help')))
  const telling = subcommands.filter((_, index) => texts[index]?.stdout.includes('Exit status: 0'))
  expect(telling).toEqual(['check', 'convert', 'export', 'init', 'diff'])
})

test.each([
  [['chekc', 'x'], "unknown command 'chekc' (did you mean check?)", 'config'],
  [['help', 'chekc'], "unknown command 'chekc' (did you mean check?)", 'config'],
  [['check'], "missing required argument 'document'", 'config check'],
  [['schema', 'a'], "too many arguments for 'schema'. Expected 0 arguments but got 1: a.", 'config schema'],
  [
    ['check', '--json', '--format', 'text', 'a'],
    "option '--json' cannot be used with option '--format <format>'",
    'config check',
  ],
  [['check', '--jsn', 'a'], "unknown option '--jsn' (did you mean --json?)", 'config check'],
  [['convert', 'a'], "required option '--to <form>' not specified", 'config convert'],
  [
    ['convert', '--to', 'yaml', 'a'],
    "option '--to <form>' argument 'yaml' is invalid. Allowed choices are nested, flat, managed.",
    'config convert',
  ],
  [['init', '--helper'], "option '--helper <name>' argument missing", 'config init'],
])('gatepass config %j is refused with the way out', async (words, message, command) => {
  expect(await runGatepass('config', ...words)).toEqual(
    fails('gatepass', 2, message, `see: gatepass ${command} --help`),
  )
})

test('-h and -V are short for --help and --version', async () => {
  const long = [['--help'], ['--version'], ['config', 'check', '--help']]
  const short = [['-h'], ['-V'], ['config', 'check', '-h']]
  const [expected, seen] = await Promise.all(
    [long, short].map((runs) => Promise.all(runs.map((words) => runGatepass(...words)))),
  )
  expect(seen).toEqual(expected)
  expect(seen!.map(({ status, stderr }) => [status, stderr])).toEqual(long.map(() => [0, '']))
})

test('without a command it prints its help on stderr', async () => {
  const { stdout: help } = await runGatepass('--help')
  expect(await runGatepass()).toEqual({ status: 2, stdout: '', stderr: help })
})

test('a reader that closes the pipe early is not a failure', async () => {
  const cwd = await temporaryDirectory()
  const command = 'set -o pipefail; gatepass config schema | true; echo $?'
  expect(await runOnPath('bash', ['-c', command], { cwd })).toEqual({ status: 0, stdout: '0\n', stderr: '' })
})

test.runIf(process.platform === 'linux')('an answer that cannot be written is a failure', async () => {
  const cwd = await temporaryDirectory()
  expect(await runOnPath('bash', ['-c', 'gatepass config schema > /dev/full'], { cwd })).toEqual(
    fails('gatepass', 74, 'stdout cannot be written (ENOSPC)', 'make room where stdout is written to'),
  )
})
