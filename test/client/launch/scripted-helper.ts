import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { HelperScriptCredential } from '../../../src/config/document.ts'
import { quoteForShell } from '../../../src/runtime/text/quote.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

/** The actions of one run of the helper; absent ones are not done. */
export interface Step {
  readonly stdout?: string
  readonly stderr?: string
  readonly status?: number
  readonly hangs?: true
}

interface ScriptedHelper {
  readonly credential: Pick<HelperScriptCredential, 'kind' | 'command' | 'args'>
  /** The contexts of its runs so far, in order. */
  contexts(): Promise<string[]>
}

/** Writes a real helper that takes one step a run and notes its context; beyond its steps, run N prints `token-N`. */
export async function writeScriptedHelper(...steps: readonly Step[]): Promise<ScriptedHelper> {
  const directory = await temporaryDirectory()
  const script = join(directory, 'helper.sh')
  const log = join(directory, 'runs.log')
  await writeFile(log, '')
  await writeFile(script, renderScript(steps, log))
  return {
    credential: { kind: 'helper-script', command: '/bin/sh', args: [script] },
    contexts: async () => (await readFile(log, 'utf8')).split('\n').slice(0, -1),
  }
}

/** Renders a script of nothing but the shell's own commands, because a process of Node takes ten times the processor time. */
function renderScript(steps: readonly Step[], log: string): string {
  return `
echo "$VENDOR_HELPER_CONTEXT" >> ${quoteForShell([log])}
run=0
while read -r _; do run=$((run + 1)); done < ${quoteForShell([log])}
case $run in
${steps.map((step, index) => `${index + 1}) ${renderStep(step)} ;;`).join('\n')}
*) printf 'token-%s' "$run" ;;
esac
`
}

function renderStep({ stdout = '', stderr = '', status = 0, hangs }: Step): string {
  const end = hangs ? 'exec /bin/sleep 600' : `exit ${status}`
  return `printf %s ${quoteForShell([stdout])}; printf %s ${quoteForShell([stderr])} >&2; ${end}`
}
