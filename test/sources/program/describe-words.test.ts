import { expect, test } from 'vitest'
import { decodeText } from '../../../src/runtime/text/decode-text.ts'
import { describeWords } from '../../../src/sources/program/describe-words.ts'

const say = (
  stderr: string,
  { args = [], env = {}, stdout = '' }: { args?: string[]; env?: object; stdout?: string } = {},
) =>
  describeWords({
    program: { name: 'get-token', args, path: undefined },
    found: { file: '/bin/get-token', path: undefined, location: 'found on PATH' },
    outcome: { ended: 'exited', status: 1, stdout: Buffer.from(stdout), stderr },
    env: { ...env },
  })

test.each<[what: string, said: string, shown: string]>([
  ['a sentence', 'ERROR: not found\n', 'ERROR: not found'],
  ['lines', 'one\r\n\n  two  \n', 'one two'],
  ['colours and links', '\x1b[31;1mred\x1b[0m \x1b]8;;http://a.example\x07link\x1b]8;;\x07', 'red link'],
  ['a progress bar', '10 %\r50 %\r100 %\ndone', '100 % done'],
  ['UTF-16 that was read as UTF-8', 'n\0o\0', 'no'],
  ['a JWT', 'got eyJhbGciOiJub25lIn0.eyJleHAiOjF9.c2ln', 'got [secret]'],
  ['a token of GitHub', 'bad token (ghp_abc123)', 'bad token ([secret])'],
  ['a token of Vault', 'X-Vault-Token: hvs.CAESIabc', 'X-Vault-Token: [secret]'],
  ['a key', '-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----\nthen', '[secret] then'],
])('shows %s on one line', (_, said, shown) => {
  expect(say(said)).toBe(shown)
})

test.each<[what: string, said: string, call: Parameters<typeof say>[1], shown: string]>([
  ['the whole stdout', 'token s3cret is bad', { stdout: 's3cret\n' }, 'token [secret] is bad'],
  ['a word of stdout', 'mixed s3cret99 and words', { stdout: 'the words s3cret99' }, 'mixed [secret] and words'],
  [
    'the argument after an option for a secret',
    'hunter2 --verbose',
    { args: ['--password', 'hunter2', '--verbose'] },
    '[secret] --verbose',
  ],
  ['the value of such an option', 'hunter2 of dana', { args: ['--api-key=hunter2'] }, '[secret] of dana'],
  ['a secret variable', 'hunter2 of dana', { env: { OP_SESSION_TOKEN: 'hunter2', USER: 'dana' } }, '[secret] of dana'],
])('%s is hidden', (_, said, call, shown) => {
  expect(say(said, call)).toBe(shown)
})

test('a secret variable that begins with a slash, as base64 may, is hidden, unlike a path in a variable', () => {
  const secret = '/aB3dEfGhIjKlMnOpQrStUvWxYz0123456789abc'
  expect(say(`with ${secret}`, { env: { AWS_SECRET_ACCESS_KEY: secret } })).toBe('with [secret]')
  const path = '/home/dana/key.json'
  expect(say(`no ${path}`, { env: { GOOGLE_APPLICATION_CREDENTIALS: path } })).toBe(`no ${path}`)
})

test('the password behind a user name, as curl takes it, is hidden', () => {
  expect([
    say('as dana:hunter2hunter2', { args: ['-u', 'dana:hunter2hunter2'] }),
    say('as dana:hunter2hunter2', { args: ['--proxy-user=dana:hunter2hunter2'] }),
    say('of dana', { args: ['--user', 'dana'] }),
  ]).toEqual(['as [secret]', 'as [secret]', 'of dana'])
})

test('only the beginning and the end of a long line are shown', () => {
  expect(say(`begin ${'x '.repeat(5_000)}end`)).toBe(`begin ${'x '.repeat(117)}… ${'x '.repeat(118)}end`)
})

test.each<[what: string, bytes: number[], text: string | undefined]>([
  ['UTF-8', [0x61, 0xc3, 0xa9], 'aé'],
  ['UTF-8 with a mark', [0xef, 0xbb, 0xbf, 0x61], 'a'],
  ['UTF-16 with a mark', [0xff, 0xfe, 0x61, 0], 'a'],
  ['UTF-16 without one', [0x61, 0, 0x62, 0], 'ab'],
  ['UTF-16, the other way round', [0xfe, 0xff, 0, 0x61], 'a'],
  ['neither', [0x61, 0xff], undefined],
  ['nothing', [], ''],
])('%s is read', (_, bytes, text) => {
  expect(decodeText(Uint8Array.from(bytes))).toBe(text)
})
