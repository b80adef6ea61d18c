import { expect, test } from 'vitest'
import { runHere } from './run-here.ts'

test.each([
  [['--client', 'codex', '--rule', 'headers'], 'headers is not a rule of OpenAI Codex', 'name one of: command-line, '],
  [['--rule', 'erase'], 'erase is not a rule of the desktop client', 'name one of: command-line, '],
  [['--client', 'git'], '--base-url is missing: Git asks a helper for a server', 'pass --base-url with the address'],
])('%j is refused before anything is run', async (flags, message, hint) => {
  const { status, stdout, stderr } = await runHere(['check-helper', ...flags, '/opt/helper'])
  const [first, second] = stderr.split('\n')
  expect({ status, stdout, first, second }).toEqual({
    status: 2,
    stdout: '',
    first: `gatepass: ${message}`,
    second: expect.stringContaining(`gatepass: hint: ${hint}`),
  })
})
