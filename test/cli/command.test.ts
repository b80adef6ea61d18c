import { expect, test } from 'vitest'
import { listRules } from '../../src/client/check/rules/rules.ts'
import { clients } from '../../src/contract/clients.ts'
import { fails } from '../setup/run-program.ts'
import { runHere } from './run-here.ts'

const { codex, desktop } = clients

test.each([
  [
    ['--client', 'codex', '--rule', 'headers'],
    'headers is not a rule of OpenAI Codex',
    `name one of: ${listRules(codex).join(', ')}`,
  ],
  [['--rule', 'erase'], 'erase is not a rule of the desktop client', `name one of: ${listRules(desktop).join(', ')}`],
  [
    ['--client', 'git'],
    '--base-url is missing: Git asks a helper for a server',
    'pass --base-url with the address of the server that gets the credential',
  ],
])('%j is refused before anything is run', async (flags, message, hint) => {
  expect(await runHere(['check-helper', ...flags, '/opt/helper'])).toEqual(fails('gatepass', 2, message, hint))
})
