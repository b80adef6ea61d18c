import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { root } from '../pkg-scripts/tree.ts'

const demo = join(root, 'pkg-scripts/demo/command.ts')
const env = { PATH: '/usr/bin:/bin', TERM: 'xterm-256color' }
const settings = { env, extendEnv: false, cwd: '/', stdin: 'ignore', stripFinalNewline: false } as const

/** What is left on a terminal: lines that were erased are gone. */
const leftOf = (shown: string) => shown.replaceAll('\r\n', '\n').replace(/\r[^\n]*\r\u001b\[K/g, '')

/** Durations and ports differ in every run. */
const timeless = (text: string) =>
  text
    .replace(/\d+ ms/g, 'N ms')
    .replace(/(signed in|renewed|window) after \d+ s/g, '$1')
    .replace(/127\.0\.0\.1:\d+/g, 'PORT')

test('on a terminal the demo has colours and signs of life, and leaves the same text', async () => {
  const plain = await execa(process.execPath, [demo], settings)
  const { stdout: shown } = await execa('script', ['-qec', `'${process.execPath}' '${demo}'`, '/dev/null'], settings)
  expect(shown).toContain('\u001b[32mturn done\u001b[39m')
  expect(shown).toContain('the helper is at work …')
  expect(leftOf(shown)).not.toContain('the helper is at work')
  expect(timeless(stripVTControlCharacters(leftOf(shown)))).toBe(timeless(plain.stdout))
})
