import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { hideSecrets } from '../../../src/runtime/text/hide-secrets.ts'

const secret = 'canary-7f3a91c2d4'

test.each<[before: string, shown: string]>([
  ['', '[secret]'],
  ['me:', 'bWU6[secret]'],
  ['user:', 'dXNlcjp[secret]'],
  ['Bearer ', 'QmVhcmVyIG[secret]'],
])('a secret in base64 behind "%s" is hidden', (before, shown) => {
  const texts = (['base64', 'base64url'] as const).map((encoding) => Buffer.from(before + secret).toString(encoding))
  expect(texts.map((text) => hideSecrets(text, [secret]))).toEqual([shown, shown])
})

test('a secret in base64 before other text is hidden, but for the letter that they share', () => {
  const text = Buffer.from(`user:${secret}@host`).toString('base64')
  expect(hideSecrets(text, [secret])).toBe('dXNlcjp[secret]EBob3N0')
})

test.each<[what: string, text: string, shown: string]>([
  ['whole', `token ${secret}.`, 'token [secret].'],
  ['in hexadecimal', `token ${Buffer.from(secret).toString('hex')}`, 'token [secret]'],
  ['its first eight characters', `token ${secret.slice(0, 8)}…`, 'token [secret]…'],
  ['its last eight characters', `token …${secret.slice(-8)}`, 'token …[secret]'],
  ['at the end of a part that is not', `xcanary-7f`, 'x[secret]'],
  ['twice', `${secret} ${secret}`, '[secret] [secret]'],
])('a secret is hidden: %s', (_what, text, shown) => {
  expect(hideSecrets(text, [secret])).toBe(shown)
})

test('seven characters of a secret stay', () => {
  const text = `token ${secret.slice(0, 7)}`
  expect(hideSecrets(text, [secret])).toBe(text)
})

test.each<[secret: string, text: string, shown: string]>([
  ['a b/c&', 'a%20b%2Fc%26', '[secret]'],
  ['acme', 'tenant acme, acme-eu and acmes', 'tenant [secret], [secret]-eu and acmes'],
  ['a.c', 'a.c abc', '[secret] abc'],
  ['sevenXY', 'sevenXY', '[secret]'],
  ['eightXYZ', 'word:eightXYZword', 'word:[secret]word'],
  ['', 'nothing is hidden', 'nothing is hidden'],
])('the secret %j in %j is shown as %j', (short, text, shown) => {
  expect(hideSecrets(text, [short])).toBe(shown)
})

test('dozens of secrets as long as a token may be are hidden, in a text of a line and in one of their own length', () => {
  const secrets = Array.from({ length: 24 }, () => randomBytes(48 * 1024).toString('base64url'))
  const [first = '', last = ''] = [secrets[0], secrets.at(-1)]
  const line = `renewed ${last.slice(-20)} as ${Buffer.from(first).toString('hex').slice(1000, 1020)}`
  expect([line, first, ''].map((text) => hideSecrets(text, secrets))).toEqual([
    'renewed [secret] as [secret]',
    '[secret]',
    '',
  ])
})

test('a secret with letters beyond Latin is hidden, unlike a text that resembles it', () => {
  expect(hideSecrets('geheim-Łódź-日本語 geheim-Aódz', ['geheim-Łódź-日本語'])).toBe('[secret] geheim-Aódz')
})
