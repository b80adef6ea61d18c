import { existsSync } from 'node:fs'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { attemptOpeners, describeUnopened, findAbsence } from '../../../src/sources/oauth/open-browser.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

const address = 'https://a.example/?x=1&y=%41;$(id)'

async function writeProgram(name: string, script: string): Promise<string> {
  const path = join(await temporaryDirectory(), name)
  await writeFile(path, `#!/bin/sh\n${script}\n`)
  await chmod(path, 0o755)
  return path
}

test('a program that is missing or fails gives way to the next, which gets the address as it is', async () => {
  const failing = await writeProgram('failing', 'exit 3')
  const working = await writeProgram('with a space', 'printf %s "$1" > "$0.opened"')
  const openers = ['/nonexistent/browser', failing, working, failing].map((program) => ({ program, args: [address] }))
  expect(await attemptOpeners(openers, {})).toBeUndefined()
  expect(await readFile(`${working}.opened`, 'utf8')).toBe(address)
})

test('the problem of each browser is reported where none can be started', async () => {
  const failing = await writeProgram('failing', 'exit 3')
  const killed = await writeProgram('killed', 'kill -9 $$')
  const notes = await writeProgram('notes', '')
  await chmod(notes, 0o644)
  const stray = join(await temporaryDirectory(), 'stray')
  await writeFile(stray, '#!/nonexistent/interpreter\n', { mode: 0o755 })
  const openers = ['/nonexistent/browser', failing, killed, notes, stray].map((program) => ({
    program,
    args: [address],
  }))
  expect(await attemptOpeners(openers, {})).toEqual([
    { program: '/nonexistent/browser', problem: 'does not exist' },
    { program: failing, problem: 'ended with status 3' },
    { program: killed, problem: 'was ended by SIGKILL' },
    { program: notes, problem: 'cannot be run (EACCES)' },
    { program: stray, problem: 'cannot be run (ENOENT)' },
  ])
})

/** Finds out, without starting one, whether none of these browsers is there. */
const findAbsent = (programs: string[], path = '/nonexistent') =>
  findAbsence(
    programs.map((program) => ({ program, args: [address] })),
    { env: { PATH: path }, platform: 'linux' },
  )

test('the absence of every browser is found out', async () => {
  const notes = await writeProgram('notes', '')
  await chmod(notes, 0o644)
  expect(await findAbsent(['/nonexistent/browser', 'browser', '', notes, dirname(notes)])).toEqual([
    { program: '/nonexistent/browser', problem: 'does not exist' },
    { program: 'browser', problem: 'does not exist' },
    { program: '', problem: 'does not exist' },
    { program: notes, problem: 'is not a program that you may run' },
    { program: dirname(notes), problem: 'does not exist' },
  ])
})

test('a browser that is there is not started to find that out', async () => {
  const working = await writeProgram('works', 'printf started > "$0.started"')
  const found = [await findAbsent(['browser', working]), await findAbsent(['works'], dirname(working))]
  expect([...found, existsSync(`${working}.started`)]).toEqual([undefined, undefined, false])
})

test('a path that is relative to the directory of the browser counts as there', async () => {
  expect(await findAbsent(['./browser'])).toBeUndefined()
})

test.each<[failed: Parameters<typeof describeUnopened>[0], browser: string | undefined, said: string]>([
  [[{ program: '/x', problem: 'does not exist' }], '/x', '"/x" does not exist (BROWSER, or the option browser)'],
  [
    [
      { program: 'firefox -P work', problem: 'does not exist' },
      { program: 'firefox', problem: 'ended with status 1' },
    ],
    'firefox -P work',
    '"firefox" ended with status 1 (BROWSER, or the option browser)',
  ],
  [
    ['my browser', 'my'].map((program) => ({ program, problem: 'does not exist' })),
    'my browser',
    '"my" does not exist (BROWSER, or the option browser)',
  ],
  [
    ['/my programs/browser', '/my', 'w3m'].map((program) => ({ program, problem: 'does not exist' })),
    '/my programs/browser:w3m',
    '"/my programs/browser" and "w3m" do not exist (BROWSER, or the option browser)',
  ],
  [
    [
      { program: 'xdg-open', problem: 'ended with status 3' },
      ...['x-www-browser', 'www-browser'].map((program) => ({ program, problem: 'does not exist' })),
    ],
    undefined,
    '"xdg-open" ended with status 3',
  ],
  [
    ['xdg-open', 'x-www-browser', 'www-browser'].map((program) => ({ program, problem: 'does not exist' })),
    undefined,
    '"xdg-open", "x-www-browser" and "www-browser" do not exist',
  ],
  [
    [
      { program: '/my programs/browser', problem: 'ended with status 3' },
      { program: '/my', problem: 'does not exist' },
    ],
    '/my programs/browser',
    '"/my programs/browser" ended with status 3 (BROWSER, or the option browser)',
  ],
  [
    [{ program: `a\n\u202e${'b'.repeat(300)}`, problem: 'does not exist' }],
    'a',
    `"a \\u202e${'b'.repeat(197)}" does not exist (BROWSER, or the option browser)`,
  ],
])('the message says why no browser was opened, %j', (failed, browser, said) => {
  expect(describeUnopened(failed, browser)).toBe(said)
})
