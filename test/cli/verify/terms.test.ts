import { expect, test } from 'vitest'
import { fails } from '../../setup/run-program.ts'
import { writeTemporary } from '../run-gatepass.ts'
import { verifyHere } from './verify-here.ts'

test.each<[argv: string[], message: string, hint: string]>([
  [
    ['--issuer', 'canary'],
    'the issuer is not an https URL, so its keys cannot be discovered',
    'write it as the token has it, or say where its keys are: --keys',
  ],
  [
    ['--issuer', 'http://canary.example'],
    'the issuer is not an https URL, so its keys cannot be discovered',
    'write it as the token has it, or say where its keys are: --keys',
  ],
  [
    ['--issuer', 'canary', '--keys', 'http://canary.example'],
    'keys are not fetched over http, because anybody on the network could replace them',
    'use https://',
  ],
  [['--keys', '/nowhere/canary'], 'the file of --keys cannot be read (ENOENT)', 'check the path'],
  [
    ['--audience-header', 'canary'],
    '--audience-header is given, but no audience',
    'pass the audience too, with --audience',
  ],
  [
    ['--policy', '/nowhere/x', '--audience', 'canary'],
    '--policy cannot be combined with --issuer, --keys or --audience',
    'remove them: the policy names its own',
  ],
  [
    ['--provider-secrets', '/nowhere'],
    '--provider-secrets is given, but no policy',
    'pass the policy too, with --policy',
  ],
  [['--file', 'x', '--', 'canary'], 'both --file and a helper after -- are given', 'give only one of them'],
])('%j cannot be used', async (argv, message, hint) => {
  expect(await verifyHere('canary', ...argv)).toEqual(fails('gatepass', 2, message, hint))
})

test('a file without keys is refused with the reason', async () => {
  const path = await writeTemporary('keys.json', '{"keys":[{"kty":"oct","k":"canary"}]}')
  const { status, stderr } = await verifyHere('canary', '--keys', path)
  expect([status, stderr]).toEqual([
    2,
    [
      'gatepass: the file of --keys gave no key that can be used: key 1 is a shared secret, which is never published',
      'gatepass: hint: name a file with a JSON Web Key Set, as issuers publish it',
      '',
    ].join('\n'),
  ])
})

test('a policy that cannot be read is refused with the reason', async () => {
  const { status, stdout, stderr } = await verifyHere('canary', '--policy', '/nowhere/policy.json')
  expect([status, stdout, stderr]).toEqual([
    3,
    '',
    [
      'gatepass: the policy /nowhere/policy.json cannot be used: there is no /nowhere/policy.json',
      'gatepass: hint: check the path, and put the file there',
      '',
    ].join('\n'),
  ])
})
