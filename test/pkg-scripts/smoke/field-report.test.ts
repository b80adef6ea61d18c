import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hideNames, readSignatures } from '../../../pkg-scripts/smoke/field-report.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

test.each<[text: string, hidden: string]>([
  ['/Users/zoe/Library/Caches/Gatepass', '…/Library/Caches/Gatepass'],
  ['zoe ran it on ZOES-MAC.local', '… ran it on ….local'],
  ['zoes word, and azoe', 'zoes word, and azoe'],
  ['/home/another/x and C:\\Users\\another\\x', '/home/…/x and C:\\Users\\…\\x'],
  ['"C:\\\\Users\\\\another\\\\x"', '"C:\\\\Users\\\\…\\\\x"'],
])('in %j the names of the user and the machine are hidden', (text, hidden) => {
  expect(hideNames(text, ['/Users/zoe', 'zoes-mac', 'zoe'])).toBe(hidden)
})

test('on macOS the system is asked for each signature, and a missing tool is reported', async () => {
  const bin = join(await temporaryDirectory(), 'bin')
  await mkdir(bin)
  const script = '#!/bin/sh\nfor path; do :; done\necho "$1 of $path" >&2\n'
  await writeFile(join(bin, 'codesign'), script, { mode: 0o755 })
  const subject = { pathOf: (name: string) => `/opt/gatepass/${name}`, env: { PATH: `${bin}:/usr/bin:/bin` } }
  const said = (await readSignatures(subject, 'darwin')).map(({ program, said: words }) => `${program} | ${words}`)
  expect(said).toEqual(
    ['gatepass-helpers', 'gatepass'].flatMap((program) => [
      `${program} | codesign: 0\n--display of /opt/gatepass/${program}`,
      `${program} | codesign: 0\n--verify of /opt/gatepass/${program}`,
      `${program} | spctl: not started\nspawn spctl ENOENT`,
    ]),
  )
})

test('on Linux no signature is asked for', async () => {
  const subject = { pathOf: (name: string) => `/opt/gatepass/${name}`, env: {} }
  expect(await readSignatures(subject, 'linux')).toEqual([])
})
