import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { prints } from '../setup/run-program.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { runOnPath } from './run-gatepass.ts'

/** The text before the tab key is pressed, and the text after it. */
const completed = {
  'gatepass conf': 'gatepass config ',
  'gatepass config con': 'gatepass config convert ',
  'gatepass config check --cl': 'gatepass config check --client-version ',
  'gatepass config check --os l': 'gatepass config check --os linux ',
  'gatepass config init --helper w': 'gatepass config init --helper workload-token ',
  'gatepass config check nes': 'gatepass config check nested.json ',
  'gatepass config init --out nes': 'gatepass config init --out nested.json ',
}

async function directoryWithDocument(): Promise<string> {
  const cwd = await temporaryDirectory()
  await writeFile(join(cwd, 'nested.json'), '')
  return cwd
}

test('zsh completes commands, options, their values and files', async () => {
  const script = `
    zmodload zsh/zpty
    zpty -b shell 'zsh -f -i'
    zpty -w shell 'autoload -U compinit; compinit -u -D; source <(gatepass completion zsh)'
    zpty -w shell 'say() { print -r -- "$BUFFER" >> said; BUFFER= }; zle -N say; bindkey "^T" say'
    : > said
    for typed in "$@"; do zpty -w -n shell "$typed"$'\\t\\C-t'; done
    while (( $(wc -l < said) < $# )); do sleep 0.05; zpty -r -t shell shown; done
    cat said`
  const cwd = await directoryWithDocument()
  const typed = Object.keys(completed)
  expect(await runOnPath('zsh', ['-f', '-c', script, 'zsh', ...typed], { cwd, env: { TERM: 'dumb' } })).toEqual(
    prints(`${Object.values(completed).join('\n')}\n`),
  )
})

test('fish completes commands, options, their values and files', async () => {
  const script = `
    gatepass completion fish | source
    for typed in $argv
      complete -C $typed
    end`
  const { status, stdout, stderr } = await runOnPath('fish', ['--no-config', '-c', script, ...Object.keys(completed)], {
    cwd: await directoryWithDocument(),
  })
  expect({ status, words: stdout.split('\n').map((line) => line.split('\t')[0]), stderr }).toEqual({
    status: 0,
    words: [...Object.values(completed).map((line) => line.trim().split(' ').at(-1)), ''],
    stderr: '',
  })
})

test('bash completes on the line itself', async () => {
  const input = Object.keys(completed)
    .map((typed) => `${typed}\t\u0014`)
    .join('')
  const start = `
    bind 'set enable-bracketed-paste off'; source <(gatepass completion bash)
    say() { printf '%s\\n' "$READLINE_LINE" >> said; READLINE_LINE=; }
    bind -x '"\\C-t": say'`
  const cwd = await directoryWithDocument()
  await writeFile(join(cwd, 'start'), start)
  await runOnPath('script', ['-qec', 'bash --noprofile --rcfile start -i', '/dev/null'], {
    cwd,
    input: `${input}exit\n`,
  })
  const { stdout } = await runOnPath('cat', ['said'], { cwd })
  expect(stdout).toBe(`${Object.values(completed).join('\n')}\n`)
})
