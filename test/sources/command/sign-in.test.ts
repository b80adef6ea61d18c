import { expect, test } from 'vitest'
import { HelperError } from '../../../src/runtime/failure.ts'
import { findSignInFailure } from '../../../src/sources/command/mint-command-token.ts'

const find = ([name = '', ...args]: string[], stderr: string, command?: string) =>
  findSignInFailure(
    {
      program: { name, args, path: undefined },
      found: { file: `/bin/${name}`, path: undefined, location: 'found on PATH' },
      outcome: { ended: 'exited', status: 1, stdout: new Uint8Array(), stderr },
      env: {},
    },
    'it failed',
    command,
  )

test.each<[command: string[], said: string, hint: string]>([
  [
    ['/opt/google/bin/gcloud'],
    'Reauthentication failed. cannot prompt',
    'run in a terminal: /opt/google/bin/gcloud auth login',
  ],
  [['az'], 'AADSTS700082: The refresh token has expired', 'run in a terminal: az login'],
  [['gh'], 'no oauth token', 'run in a terminal: gh auth login'],
  [['op'], '[ERROR] account is not signed in', 'run in a terminal: op signin'],
  [['curl', '--negotiate'], 'The requested URL returned error: 401', 'run in a terminal: kinit'],
  [
    ['get-token'],
    'Error: you are not logged in',
    'sign in with get-token in a terminal, as it says; set sign-in-command to have that command shown here',
  ],
])('%j that says %j wants a sign-in', (command, said, hint) => {
  expect(find(command, said)).toEqual(new HelperError('sign-in-required', 'it failed', hint))
  expect(find(command, said, 'corp-login')).toEqual(
    new HelperError('sign-in-required', 'it failed', 'run in a terminal: corp-login'),
  )
})

test.each<[command: string[], said: string]>([
  [['gcloud'], 'ERROR: unrecognized arguments: --foo'],
  [['vault'], 'Code: 403. Errors:\n\n* permission denied'],
  [['curl'], 'The requested URL returned error: 401'],
  [['get-token'], 'cannot write to the log'],
  [['toString'], ''],
])('%j that says %j wants no sign-in', (command, said) => {
  expect(find(command, said)).toBeUndefined()
})
