import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { toContextVariables } from '../../../src/contract/detect-context.ts'
import { endSignIns } from '../../setup/end-sign-ins.ts'
import type { Workbench } from './workbench.ts'

const answerQuestion = join(import.meta.dirname, '../../stand-ins/aws/pages/answer-question.ts')

/**
 * Writes a browser that its person uses at once: it writes the address into `tabs` of the home directory, and gives the answer. Gives the
 * environment of an interactive run with it. The process that signs in is ended with the test.
 */
export async function writeBrowser(bench: Workbench, choice: 'allow' | 'deny'): Promise<Record<string, string>> {
  const browser = join(bench.home, 'browser')
  const script = `const { answerQuestion } = await import(${JSON.stringify(answerQuestion)})
await answerQuestion(process.argv[1], ${JSON.stringify(choice)})`
  await writeFile(
    browser,
    `#!/bin/sh\nprintf '%s\\n' "$1" >> "$HOME/tabs"\nexec '${process.execPath}' --input-type=module --eval '${script}' "$1"\n`,
  )
  await chmod(browser, 0o755)
  const cache = join(bench.home, '.cache', 'gatepass')
  await mkdir(join(bench.home, '.cache'), { recursive: true })
  onTestFinished(() => endSignIns(cache))
  return { BROWSER: browser, PATH: '/usr/bin:/bin', ...bench.environment, ...toContextVariables('interactive') }
}
