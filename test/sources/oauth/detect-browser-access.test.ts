import { describe, expect, test } from 'vitest'
import { type BrowserFacts, detectBrowserAccess } from '../../../src/sources/oauth/list-openers.ts'
import { parseManagerName, parseTaskList } from '../../../src/sources/oauth/sign-in-tools.ts'

const wslKernel = 'Linux version 5.15.90.1-microsoft-standard-WSL2'

describe('where a browser can be opened', () => {
  test.each<[place: string, platform: NodeJS.Platform, env: BrowserFacts['env'], more?: Partial<BrowserFacts>]>([
    ['no display', 'linux', {}],
    ['no display', 'linux', { DISPLAY: '' }],
    ['here', 'linux', { DISPLAY: ':0' }],
    ['here', 'linux', { WAYLAND_DISPLAY: 'wayland-0' }],
    ['here', 'linux', { BROWSER: 'w3m' }],
    ['here', 'linux', { WSL_INTEROP: '/run/WSL/8_interop' }],
    ['here', 'linux', {}, { kernel: wslKernel }],
    ['remote shell', 'linux', { DISPLAY: 'localhost:10.0', SSH_CONNECTION: '10.0.0.1 5 10.0.0.2 22' }],
    ['remote shell', 'linux', { BROWSER: 'firefox', SSH_TTY: '/dev/pts/1' }],
    [
      'here',
      'linux',
      { BROWSER: '/vscode/browser.sh', VSCODE_IPC_HOOK_CLI: '/run/x.sock', SSH_CLIENT: '10.0.0.1 5 22' },
    ],
    ['remote shell', 'linux', { VSCODE_IPC_HOOK_CLI: '/run/x.sock', SSH_CLIENT: '10.0.0.1 5 22' }],
    ['here', 'freebsd', { DISPLAY: ':0' }],
    ['here', 'darwin', {}, { session: 'graphic' }],
    ['here', 'darwin', {}],
    ['no graphic session', 'darwin', {}, { session: 'none' }],
    ['remote shell', 'darwin', { SSH_CONNECTION: '10.0.0.1 5 10.0.0.2 22' }, { session: 'graphic' }],
    ['here', 'win32', {}, { session: 'graphic' }],
    ['here', 'win32', {}],
    ['no graphic session', 'win32', {}, { session: 'none' }],
    ['remote shell', 'win32', { SSH_CLIENT: '10.0.0.1 5 22' }],
  ])('is %s on %s with %j and %j', (place, platform, env, more = {}) => {
    expect(detectBrowserAccess({ platform, env, kernel: '', session: 'unknown', ...more })).toBe(place)
  })
})

test.each([
  ['Aqua\n', 'graphic'],
  ['Background\n', 'none'],
  ['System\n', 'none'],
  ['', 'unknown'],
])('the output %j of launchctl is understood', (answer, session) => {
  expect(parseManagerName(answer)).toBe(session)
})

test.each([
  ['"node.exe","1234","Console","1","30,000 K"\r\n', 'graphic'],
  ['"node.exe","1234","RDP-Tcp#2","3","30.000 K"\r\n', 'graphic'],
  ['"node.exe","1234","Services","0","30,000 K"\r\n', 'none'],
  ['INFO: No tasks are running which match the specified criteria.\r\n', 'unknown'],
])('the output %j of tasklist is understood', (answer, session) => {
  expect(parseTaskList(answer)).toBe(session)
})
