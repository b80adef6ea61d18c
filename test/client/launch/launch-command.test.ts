import { describe, expect, test } from 'vitest'
import { type Launch, planLaunch } from '../../../src/client/launch/launch-command.ts'

const start = (file: string, args: string[] = []): Launch => ({ command: { file, args } })
const cmd = (line: string): Launch => ({
  command: { file: 'cmd.exe', args: ['/d', '/s', '/c', `"${line}"`], isVerbatim: true },
})
const powershell = (...words: string[]): Launch => ({
  command: {
    file: 'powershell.exe',
    args: ['-NoProfile', '-NonInteractive', '-ExecutionPolicy', 'Bypass', '-File', ...words],
  },
})
const network = { problem: 'the command is a network path' }
const badArgument = (number: number) => ({
  problem: `argument ${number} is longer than 1024 characters or holds ", % or a control character`,
})

describe('on macOS and Linux', () => {
  const relative = { problem: 'the command is not an absolute path' }

  test.each<[what: string, launchable: Parameters<typeof planLaunch>[0], launch: Launch]>([
    ['an absolute path is started', { command: '/opt/helper' }, start('/opt/helper')],
    [
      'a path with a space, a quote and letters beyond ASCII is one path',
      { command: "/Library/Application Support/Zoë's/helper" },
      start("/Library/Application Support/Zoë's/helper"),
    ],
    ['words after the path are a part of it', { command: '/opt/helper --x' }, start('/opt/helper --x')],
    ['$ and % are not expanded', { command: '/$HOME/%x%' }, start('/$HOME/%x%')],
    ['a tilde is not expanded', { command: '~/helper' }, relative],
    ['a name is not looked up', { command: 'helper' }, relative],
    ['a path from here is refused', { command: './helper' }, relative],
    ['a path with a drive letter is not absolute', { command: 'C:\\helper.exe' }, relative],
    ['a network path is refused', { command: '//server/share/helper' }, network],
    ['an empty command counts as missing', { command: '' }, { problem: 'no command is set' }],
    ['commandWindows is not used', { commandWindows: 'C:\\helper.exe' }, { problem: 'no command is set' }],
    ['command is used where both stand', { command: '/opt/helper', commandWindows: 'C:\\h.exe' }, start('/opt/helper')],
    ['a file name extension has no meaning', { command: '/opt/helper.cmd' }, start('/opt/helper.cmd')],
    [
      'arguments keep order, blanks and what a shell would read',
      { command: '/h', args: ['b', 'a', '', ' x  y ', '$HOME', '*', "'", ';', '`id`', '\\'] },
      start('/h', ['b', 'a', '', ' x  y ', '$HOME', '*', "'", ';', '`id`', '\\']),
    ],
  ])('%s', (_, launchable, launch) => {
    const [linux, darwin] = [planLaunch(launchable, 'linux'), planLaunch(launchable, 'darwin')]
    expect({ linux, darwin }).toEqual({ linux: launch, darwin: launch })
  })
})

describe('on Windows', () => {
  const noDrive = { problem: 'the command does not start with a drive letter, a colon and a slash' }
  const unquotable = { problem: 'the command holds ", % or a control character' }

  test.each<[what: string, path: string, args: string[], launch: Launch]>([
    ['an executable is started directly', 'C:\\h.exe', ['a'], start('C:\\h.exe', ['a'])],
    ['a slash may follow the drive', 'c:/dir/h.EXE', [], start('c:/dir/h.EXE')],
    ['a file without an ending is started directly', 'C:\\v1.2\\h', [], start('C:\\v1.2\\h')],
    ['.cmd goes through cmd.exe', 'C:\\h.cmd', [], cmd('"C:\\h.cmd"')],
    ['.bat in any case goes through cmd.exe', 'C:\\h.BAT', [], cmd('"C:\\h.BAT"')],
    [
      'every word for cmd.exe is quoted, so that & | < > ^ ( ) mean themselves',
      'C:\\Program Files (x86)\\a&b\\h.cmd',
      ['--team', 'R&D | <x> ^', ''],
      cmd('"C:\\Program Files (x86)\\a&b\\h.cmd" "--team" "R&D | <x> ^" ""'),
    ],
    [
      'a backslash at the end of a word is doubled, as the quote behind it would be a part of the word',
      'C:\\h.cmd',
      ['C:\\dir\\', '\\\\', 'a\\b'],
      cmd('"C:\\h.cmd" "C:\\dir\\\\" "\\\\\\\\" "a\\b"'),
    ],
    ['.ps1 goes through PowerShell', 'C:\\a b\\h.ps1', ['-x', 'y z'], powershell('C:\\a b\\h.ps1', '-x', 'y z')],
    ['a network path is refused', '\\\\server\\share\\h.exe', [], network],
    ['a network path with slashes is refused', '//server/share/h.exe', [], network],
    ['a device path is refused', '\\\\?\\C:\\h.exe', [], network],
    ['a drive without a slash is refused', 'C:h.exe', [], noDrive],
    ['a path without a drive is refused', '\\h.exe', [], noDrive],
    ['a name is refused', 'h.exe', [], noDrive],
    ['a variable is not expanded', '%ProgramFiles%\\h.exe', [], noDrive],
    ['a variable further on is refused, as cmd.exe would expand it', 'C:\\%USERNAME%\\h.cmd', [], unquotable],
    ['a quote is refused, as it would end the quoting', 'C:\\h" & calc & ".cmd', [], unquotable],
    ['a line break is refused', 'C:\\h\n.cmd', [], unquotable],
  ])('%s', (_, commandWindows, args, launch) => {
    expect(planLaunch({ commandWindows, args }, 'win32')).toEqual(launch)
  })

  test('commandWindows is used instead of command', () => {
    expect(planLaunch({ command: '/opt/h', commandWindows: 'C:\\h.exe' }, 'win32')).toEqual(start('C:\\h.exe'))
  })

  test('a Windows path in command is used where commandWindows is missing', () => {
    expect(planLaunch({ command: 'C:\\h.exe' }, 'win32')).toEqual(start('C:\\h.exe'))
  })

  test('without either the missing field is named', () => {
    expect(planLaunch({}, 'win32')).toEqual({ problem: 'no commandWindows is set' })
  })
})

describe('arguments on every system', () => {
  test.each<[what: string, args: string[], launch: Launch]>([
    ['1024 characters are passed', ['x'.repeat(1024)], start('C:/h', ['x'.repeat(1024)])],
    ['1025 characters are refused', ['x'.repeat(1025)], badArgument(1)],
    ['a double quote is refused', ['a', 'b"c'], badArgument(2)],
    ['a percent sign is refused', ['100%'], badArgument(1)],
    ['a line feed is refused', ['a\nb'], badArgument(1)],
    ['a tab is refused', ['a\tb'], badArgument(1)],
    ['NUL is refused', ['\0'], badArgument(1)],
    ['0x1f is refused', ['\x1f'], badArgument(1)],
    ['DEL is passed', ['\x7f'], start('C:/h', ['\x7f'])],
    ['only the first problem is reported', ['ok', '%', '"'], badArgument(2)],
  ])('%s', (_, args, launch) => {
    expect(planLaunch({ command: 'C:/h', args }, 'win32')).toEqual(launch)
    expect(planLaunch({ command: '/h', args }, 'linux')).toEqual(
      'command' in launch ? start('/h', [...launch.command.args]) : launch,
    )
  })
})
