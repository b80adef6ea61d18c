import { expect, test } from 'vitest'
import { HelperError } from '../../../src/runtime/failure.ts'
import { parseProxy } from '../../../src/runtime/network/forward-proxy.ts'

const origin = 'variable HTTPS_PROXY'

test.each([
  'pac+http://proxy.example/',
  'http://proxy.example/proxy.pac',
  'proxy.example/wpad.DAT',
  'http://p/a.pac?x=1#y',
])('%s is a PAC file, which cannot be used', (text) => {
  expect(() => parseProxy(text, origin)).toThrow(
    new HelperError(
      'not-configured',
      `the proxy (${origin}) is a PAC file, which cannot be used`,
      'open that file, and set the host and port that follow PROXY in it, such as http://proxy.example:3128',
    ),
  )
})

test.each(['socks://proxy.example:1080', 'SOCKS5h://proxy.example'])(
  '%s is a SOCKS proxy, which cannot be used',
  (text) => {
    expect(() => parseProxy(text, origin)).toThrow(
      new HelperError(
        'not-configured',
        `the proxy (${origin}) is a SOCKS proxy, which cannot be used`,
        'set it to an HTTP proxy, such as http://proxy.example:3128',
      ),
    )
  },
)

test.each([
  [
    'variable ALL_PROXY',
    'set HTTPS_PROXY, which is read before ALL_PROXY, to an HTTP proxy, such as http://proxy.example:3128',
  ],
  ['variable https_proxy', 'set it to an HTTP proxy, such as http://proxy.example:3128'],
  ['argument', 'set it to an HTTP proxy, such as http://proxy.example:3128'],
])('a SOCKS proxy (%s) is refused with the hint: %s', (origin, hint) => {
  expect(() => parseProxy('socks5://proxy.example', origin)).toThrow(
    new HelperError('not-configured', `the proxy (${origin}) is a SOCKS proxy, which cannot be used`, hint),
  )
})

test.each(['', 'ftp://proxy.example', 'http://', 'http://a b', 'http://dana:100%@proxy.example'])(
  '%j is not the URL of a proxy, and is not repeated',
  (text) => {
    expect(() => parseProxy(text, origin)).toThrow(
      new HelperError(
        'not-configured',
        `the proxy (${origin}) is not a URL of the form http://host:port`,
        'write it as http://host:port, or http://user:password@host:port with every special character as %XX',
      ),
    )
  },
)

test('a host whose name only looks like a PAC file or SOCKS is a proxy', () => {
  const names = ['http://socks.example:1', 'http://a.pac.example:1', 'http://proxy.example:1/x.packet']
  expect(names.map((text) => parseProxy(text, origin).host)).toEqual([
    'socks.example',
    'a.pac.example',
    'proxy.example',
  ])
})

test.each<[text: string, credentials: string]>([
  ['http://dana@proxy.example', 'dana:'],
  ['http://:secret@proxy.example', ':secret'],
])('%s authenticates with a user or a password alone', (text, credentials) => {
  expect(parseProxy(text, origin).authorization?.reveal()).toBe(`Basic ${Buffer.from(credentials).toString('base64')}`)
})

test('a proxy with a password in an argument is refused', () => {
  expect(() => parseProxy('http://dana:secret@proxy.example', 'argument')).toThrow(
    new HelperError(
      'usage',
      'the proxy has a password in an argument, which every user of this machine can read',
      'name it in a variable, such as HTTPS_PROXY, or in a configuration file',
    ),
  )
  expect(parseProxy('http://proxy.example', 'argument').authorization).toBeUndefined()
})
