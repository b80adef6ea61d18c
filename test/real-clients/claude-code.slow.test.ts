import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findClient } from '../../pkg-scripts/clients/real-clients.ts'
import type { Stage } from './stage.ts'
import { testSharedToken } from './test-shared-token.ts'

const agent = findClient('claude-code')!

/** Gives the agent what `gatepass config init` writes for it; the address is under the name that this agent reads. */
async function configure({ home, gateway, helper, gatepass }: Stage, ...more: string[]): Promise<void> {
  const words = ['config', 'init', '--client', 'api-key-helper', '--helper', helper.name, '--command', helper.command]
  const argv = [...helper.argv, ...more].map((arg) => `--arg=${arg}`)
  const { stdout } = await gatepass(...words, '--base-url', gateway.url, ...argv)
  await mkdir(join(home, '.claude'))
  await writeFile(join(home, '.claude', 'settings.json'), stdout)
}

/** Runs one process with one question. */
async function runTurn({ run, gateway }: Stage) {
  const own = { ANTHROPIC_BASE_URL: gateway.url, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' }
  const { status, stdout } = await run(agent, ['--model', 'made-up', '-p', 'Say hello.'], own)
  return { status, answer: stdout.trim() }
}

testSharedToken({ configure, runTurn })
