import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findClient } from '../../pkg-scripts/clients/real-clients.ts'
import type { Outcome } from '../setup/run-program.ts'
import type { BuiltHelper, Stage } from './stage.ts'

const codex = findClient('codex')!

/** Gives Codex what `gatepass config init` writes for it, and a model; what it looks for on the internet is switched off. */
export async function configureCodex(
  { home, gateway, gatepass }: Stage,
  { name, command, argv }: BuiltHelper,
  ...more: readonly string[]
): Promise<void> {
  const words = ['config', 'init', '--client', 'codex', '--helper', name, '--command', command, ...more]
  const { stdout } = await gatepass(...words, '--base-url', `${gateway.url}/v1`, ...argv.map((arg) => `--arg=${arg}`))
  const own = 'model = "made-up"\nfeatures.plugins = false\nanalytics.enabled = false\n'
  await mkdir(join(home, '.codex'))
  await writeFile(join(home, '.codex', 'config.toml'), `${own}${stdout}`)
}

/** Starts one process of Codex with one question. */
export function askCodex({ run }: Stage, ...settings: string[]): Promise<Outcome> {
  const argv = [codex, 'exec', '--skip-git-repo-check', ...settings.flatMap((one) => ['-c', one]), 'Say hello.']
  return run(process.execPath, argv)
}

/** Does the same, and returns what a person reads of it: the answer, or the error at the end. */
export async function runCodex(stage: Stage, ...settings: string[]) {
  const { status, stdout, stderr } = await askCodex(stage, ...settings)
  return { status, answer: stdout, error: stderr.slice(stderr.lastIndexOf('\nERROR: ') + 1 || stderr.length) }
}
