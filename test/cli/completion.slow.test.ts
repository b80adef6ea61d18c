import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listHelpers } from '../../pkg-scripts/tree.ts'
import { prints } from '../setup/run-program.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { runGatepass, runOnPath } from './run-gatepass.ts'

test.each<[words: string[], completions: string[]]>([
  [['conf'], ['config']],
  [
    ['config', 'c'],
    ['check', 'convert'],
  ],
  [['config', 'check', '--c'], ['--client-version']],
  [
    ['config', 'check', '--json', '--os', ''],
    ['linux', 'macos', 'windows'],
  ],
  [['config', 'check', '--os', 'linux', '--reader', 'd'], ['desktop']],
  [['config', 'init', '--helper', ''], listHelpers()],
  [
    ['completion', ''],
    ['bash', 'zsh', 'fish'],
  ],
  [['help', 'config', 'sch'], ['schema']],
  [['config', 'check', ''], []],
  [['config', 'init', '--out', ''], []],
  [['config', 'init', '--out', 'check', '--ba'], ['--base-url']],
  [
    ['fleet', ''],
    ['report', 'help'],
  ],
  [
    ['fleet', 'report', '--h'],
    ['--helper', '--html', '--help'],
  ],
  [['complet'], ['completion']],
  ...[['simulate'], ['doctor'], ['api', 'request'], ['api', 'messages', 'create']].map(
    (command): [string[], string[]] => [
      [...command, '--boot'],
      ['--bootstrap', '--bootstrap-helper'],
    ],
  ),
])('%j is completed with %j', async (words, completions) => {
  const { status, stdout, stderr } = await runGatepass('complete', '--', ...words)
  const found = stdout.split('\n').filter(Boolean)
  expect({ status, found: found.map((line) => line.split('\t')[0]), stderr }).toEqual({
    status: 0,
    found: completions,
    stderr: '',
  })
  expect(found.filter((line) => !/^[\w-]+\t./.test(line))).toEqual([])
})

test('bash completes commands, options, their values and files', async () => {
  const cwd = await temporaryDirectory()
  await writeFile(join(cwd, 'my document.json'), '')
  const script = `
    source <(gatepass completion bash)
    complete -p gatepass
    try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _gatepass; echo "\${COMPREPLY[@]}"; }
    try gatepass config con
    try gatepass config check --os ''
    try gatepass config check ''`
  expect(await runOnPath('bash', ['-c', script], { cwd })).toEqual(
    prints('complete -o default -F _gatepass gatepass\nconvert\nlinux macos windows\n\n'),
  )
})

test('an unknown shell is refused', async () => {
  expect(await runGatepass('completion', 'tcsh')).toEqual({
    status: 2,
    stdout: '',
    stderr: `gatepass: command-argument value 'tcsh' is invalid for argument 'shell'. Allowed choices are bash, zsh, fish.
gatepass: hint: see: gatepass completion --help
`,
  })
})
