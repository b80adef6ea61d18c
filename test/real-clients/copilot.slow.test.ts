import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findClient } from '../../pkg-scripts/clients/real-clients.ts'
import type { Stage } from './stage.ts'
import { testSharedToken } from './test-shared-token.ts'

const copilot = findClient('copilot')!

/** Writes the variables that `gatepass config init` gives for it. */
async function configure({ home, gateway, helper, gatepass }: Stage, ...more: string[]): Promise<void> {
  const words = ['config', 'init', '--client', 'copilot', '--helper', helper.name, '--command', helper.command]
  const argv = [...helper.argv, ...more].map((arg) => `--arg=${arg}`)
  const { stdout } = await gatepass(...words, '--base-url', gateway.url, ...argv)
  await writeFile(join(home, 'variables'), stdout)
}

/** Runs one process with one question, in a shell with these variables. */
async function runTurn({ home, run }: Stage) {
  const own = { COPILOT_PROVIDER_TYPE: 'anthropic', COPILOT_MODEL: 'made-up' }
  const argv = ['-c', '. "$0" && exec "$@"', join(home, 'variables'), copilot, '-p', 'Say hello.', '-s']
  const { status, stdout } = await run('/bin/sh', argv, own)
  return { status, answer: stdout.trim() }
}

testSharedToken({ configure, runTurn })
