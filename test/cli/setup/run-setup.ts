import { join } from 'node:path'
import { runCli } from '../../../src/cli/run-cli.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { createTestCli } from '../run-here.ts'

/** Options that answer every question of people who sign in with Okta, under the names in force and without a network. */
export const oktaAnswers = {
  client: 'in-force',
  'base-url': 'https://gateway.example.com',
  issuer: 'https://example.okta.com',
  'client-id': '0oa1example',
} as const

/** Options of the command line for these answers. */
export function toFlags(answers: Readonly<Record<string, string>>): string[] {
  return Object.entries(answers).flatMap(([name, value]) => [`--${name}`, value])
}

/** Runs `gatepass setup` in this process, offline, with a person who gives these answers; `undefined` where nobody can be asked. */
export async function runSetup(
  folder: string,
  flags: readonly string[],
  answers?: readonly string[] | ((question: string) => string),
) {
  const { cli: still, written } = await createTestCli(['setup', folder, '--offline', ...flags])
  // Certificates of tests are made for the moment at which they run.
  const cli = { ...still, host: { ...still.host, clock: { ...still.host.clock, now: Date.now } } }
  const rest = typeof answers === 'function' ? [] : [...(answers ?? [])]
  const asked: string[] = []
  const startConversation = () => ({
    ask: async (question: string) => {
      asked.push(question)
      return typeof answers === 'function' ? answers(question) : rest.shift()
    },
    [Symbol.dispose]: () => {},
  })
  await runCli(answers === undefined ? cli : { ...cli, terminal: { ...cli.terminal, startConversation } })
  const hide = (text: string) => text.replaceAll(folder, 'FOLDER')
  return { status: written.status, stdout: hide(written.stdout), stderr: hide(written.stderr), asked, left: rest }
}

/** Names a folder that is not there yet, with a blank in its path. */
export async function nameFolder(): Promise<string> {
  return join(await temporaryDirectory(), 'our rollout')
}
