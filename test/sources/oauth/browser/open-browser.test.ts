import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openBrowser } from '../../../../src/sources/oauth/browser/open-browser.ts'
import { temporaryDirectory } from '../../../setup/temporary-directory.ts'

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
  expect(await openBrowser(openers, {})).toBe(true)
  expect(await readFile(`${working}.opened`, 'utf8')).toBe(address)
})

test('where none works it says so', async () => {
  const failing = await writeProgram('failing', 'exit 3')
  expect(await openBrowser([{ program: failing, args: [address] }], {})).toBe(false)
})
