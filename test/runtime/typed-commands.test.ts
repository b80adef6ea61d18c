import { expect, test } from 'vitest'
import { toTypedCommands, withTypedName } from '../../src/runtime/typed-commands.ts'

const typed = "'/opt/our tools/oidc-token'"

test.each([
  ['oidc-token: hint: see: oidc-token --help\n', `oidc-token: hint: see: ${typed} --help\n`],
  [
    'oidc-token: hint: sign in: oidc-token sign-in, or wait\n',
    `oidc-token: hint: sign in: ${typed} sign-in, or wait\n`,
  ],
  ['oidc-token: hint: oidc-token --help\n', `oidc-token: hint: ${typed} --help\n`],
  ['    → see why: oidc-token --explain\n', `    → see why: ${typed} --explain\n`],
  ['no profile → see: oidc-token --help\n', `no profile → see: ${typed} --help\n`],
  ['Examples\n  oidc-token --explain\n', `Examples\n  ${typed} --explain\n`],
  ['All options: oidc-token --help all\n', `All options: ${typed} --help all\n`],
])('%j names the program as it is typed', (text, spelled) => {
  expect(withTypedName(text, 'oidc-token', typed)).toBe(spelled)
})

test.each([
  'oidc-token: oidc-token sign-in has ended\n',
  'oidc-token: hint: give oidc-token to that client\n',
  'oidc-token: hint: see: other-oidc-token --help\n',
  'oidc-token: hint: set it in: oidc-token.json\n',
  'Usage: oidc-token [OPTIONS]\n       oidc-token sign-in [OPTIONS]\n',
])('%j is not a command to type', (text) => {
  expect(withTypedName(text, 'oidc-token', typed)).toBe(text)
})

test('a program that Node runs from a file keeps its name', () => {
  const text = 'oidc-token: hint: see: oidc-token --help\n'
  expect(toTypedCommands(text, 'oidc-token', { argv: [], platform: 'linux' })).toBe(text)
})
