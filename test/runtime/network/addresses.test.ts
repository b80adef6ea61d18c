import { describe, expect, test } from 'vitest'
import { HelperError } from '../../../src/runtime/failure.ts'
import {
  isLoopback,
  isPlainLoopback,
  isSecureAddress,
  refusePlainHttp,
  validateWebAddress,
} from '../../../src/runtime/network/addresses.ts'

/** Hosts of this machine: 127.0.0.0/8 (RFC 1122), `::1` (RFC 4291), `localhost` and what is below it (RFC 6761). */
const loopback = [
  '127.0.0.1',
  '127.1.2.3',
  '127.255.255.255',
  '::1',
  '[::1]',
  '0:0:0:0:0:0:0:1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '[::ffff:7fff:ffff]',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'a.localhost',
  'a.b.localhost.',
]

const elsewhere = [
  '',
  '0.0.0.0',
  '::',
  '10.0.0.1',
  '126.255.255.255',
  '128.0.0.1',
  '169.254.169.254',
  '::2',
  '::ffff:7.241.0.1',
  '::ffff:7f1:1',
  '::ffff:8000:1',
  '::7f00:1',
  '64:ff9b::7f00:1',
  'localhost.example',
  'notlocalhost',
  '127.0.0.1.example',
  '127.0.0.1.localhost.example',
]

describe('isLoopback', () => {
  test.each(loopback)('%j is this machine', (host) => {
    expect(isLoopback(host)).toBe(true)
  })

  test.each(elsewhere)('%j is not this machine', (host) => {
    expect(isLoopback(host)).toBe(false)
  })

  test.each([
    'http://[::ffff:127.0.0.1]/',
    'http://127.1/',
    'http://0x7f000001/',
    'http://2130706433/',
    'http://LocalHost/',
  ])('%s is this machine as the URL standard spells it', (url) => {
    expect(isLoopback(new URL(url).hostname)).toBe(true)
  })

  test.each(['http://[::ffff:7.241.0.1]/', 'http://0/', 'http://[::]/'])('%s is not this machine', (url) => {
    expect(isLoopback(new URL(url).hostname)).toBe(false)
  })
})

describe('a secure address', () => {
  test.each([
    { address: 'https://id.example', isSecure: true, isPlain: false },
    { address: 'HTTPS://127.0.0.1', isSecure: true, isPlain: false },
    { address: 'http://127.0.0.1:1/path', isSecure: true, isPlain: true },
    { address: 'http://a.localhost', isSecure: true, isPlain: true },
    { address: 'http://id.example', isSecure: false, isPlain: false },
    { address: 'http://localhost.example', isSecure: false, isPlain: false },
    { address: 'ftp://127.0.0.1', isSecure: false, isPlain: false },
    { address: 'ws://localhost', isSecure: false, isPlain: false },
  ])('$address: secure $isSecure, plain on this machine $isPlain', ({ address, isSecure, isPlain }) => {
    const forms = [address, new URL(address)]
    const seen = forms.map((form) => ({ isSecure: isSecureAddress(form), isPlain: isPlainLoopback(form) }))
    expect(seen).toEqual([
      { isSecure, isPlain },
      { isSecure, isPlain },
    ])
  })

  test.each(['', 'localhost', '127.0.0.1:80', '//localhost', 'https://'])('%j is not an address', (text) => {
    expect([isSecureAddress(text), isPlainLoopback(text)]).toEqual([false, false])
  })
})

describe('plain http', () => {
  test.each(['http://127.0.0.1:1', 'http://localhost', 'https://sts.example'])('%s is allowed', (url) => {
    expect(() => refusePlainHttp(new URL(url))).not.toThrow()
  })

  test.each(['http://sts.example', 'http://10.0.0.1', 'http://localhost.example'])('%s is refused', (url) => {
    const { hostname } = new URL(url)
    const message = `${hostname} would be asked over plain http, which anybody on the network can read`
    const hint = `write https:// in front of ${hostname}`
    expect(() => refusePlainHttp(new URL(url))).toThrow(new HelperError('not-configured', message, hint))
  })
})

test.each([
  ['https://id.example/token', undefined],
  ['http://localhost:8080', undefined],
  ['id.example', 'form'],
  ['ftp://id.example', 'form'],
  ['https://dana@id.example', 'user'],
  ['https://:word@id.example', 'user'],
  ['ftp://dana@id.example', 'form'],
])('the first problem of the address %s for requests is: %s', (text, problem) => {
  expect(validateWebAddress(URL.parse(text))).toBe(problem)
})
