import { expect, test } from 'vitest'
import { toSystemCommand } from '../../../src/sources/program/run-program.ts'

const flags = ['/d', '/e:on', '/v:off', '/s', '/c']

test('a batch file is started by cmd.exe, with every word in quotes', () => {
  const args = ['a b', 'x&y', '50%', 'say "hi"', 'C:\\dir\\', '']
  expect(toSystemCommand({ file: 'C:/Program Files (x86)/az.CMD', args }, 'win32', {})).toEqual({
    program: 'cmd.exe',
    args: [...flags, String.raw`""C:\Program Files (x86)\az.CMD" "a b" "x&y" "50%%cd:~,%" "say ""hi""" "C:\dir\\" """`],
    isVerbatim: true,
  })
})

test.each<[file: string, platform: NodeJS.Platform]>([
  ['C:\\bin\\az.exe', 'win32'],
  ['/usr/bin/az.cmd', 'linux'],
])('%s on %s is started as it is', (file, platform) => {
  expect(toSystemCommand({ file, args: ['a'] }, platform, {})).toEqual({ program: file, args: ['a'] })
})
