import { expect, test } from 'vitest'
import { listOpeners, type Opener } from '../../../src/sources/oauth/list-openers.ts'

const address = 'https://a.example/authorize?x=1&y=%41'
const lines = (openers: readonly Opener[]) => openers.map(({ program, args }) => [program, ...args])
const desktop = ['xdg-open', 'x-www-browser', 'www-browser'].map((program) => [program, address])

test.each<[platform: NodeJS.Platform, env: Record<string, string>, expected: string[][]]>([
  ['linux', {}, desktop],
  ['linux', { WSL_INTEROP: '/run/WSL/8_interop' }, [['wslview', address], ...desktop]],
  ['darwin', {}, [['/usr/bin/open', address]]],
  ['win32', { SystemRoot: 'D:\\W' }, [['D:\\W\\System32\\rundll32.exe', 'url.dll,FileProtocolHandler', address]]],
  ['win32', {}, [['C:\\Windows\\System32\\rundll32.exe', 'url.dll,FileProtocolHandler', address]]],
  ['linux', { BROWSER: 'firefox' }, [['firefox', address]]],
  [
    'linux',
    { BROWSER: 'w3m:/opt/b' },
    [
      ['w3m', address],
      ['/opt/b', address],
    ],
  ],
  ['darwin', { BROWSER: 'b -P work' }, [['b', '-P', 'work', address]]],
  ['linux', { BROWSER: 'b --to=%s -x' }, [['b', `--to=${address}`, '-x']]],
  ['win32', { BROWSER: 'C:\\b.exe' }, [['C:\\b.exe', address]]],
  [
    'win32',
    { BROWSER: 'C:\\my programs\\b.exe %s' },
    [
      ['C:\\my programs\\b.exe', address],
      ['C:\\my', 'programs\\b.exe', address],
    ],
  ],
  [
    'win32',
    { BROWSER: '"C:\\my programs\\b.exe" -P "my work" %s' },
    [['C:\\my programs\\b.exe', '-P', 'my work', address]],
  ],
  ['linux', { BROWSER: "'/my programs/b' '%s'" }, [['/my programs/b', address]]],
  [
    'linux',
    { BROWSER: '/my  programs/b new' },
    [
      ['/my  programs/b new', address],
      ['/my  programs/b', 'new', address],
      ['/my', 'programs/b', 'new', address],
    ],
  ],
  ['linux', { BROWSER: '' }, desktop],
])('the openers on %s with %j are tried in this order: %j', (platform, env, expected) => {
  expect(lines(listOpeners({ platform, env, kernel: '' }, address))).toEqual(expected)
})
