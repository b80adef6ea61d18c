import { describe, expect, test } from 'vitest'
import { findProxy } from '../../../src/runtime/network/find-proxy.ts'
import { toNetworkSettings } from '../../../src/runtime/network/settings.ts'

const find = (url: string, noProxy?: string, text = 'http://proxy.example:3128') =>
  findProxy(
    new URL(url),
    toNetworkSettings({ proxy: { text, origin: 'variable HTTPS_PROXY' }, noProxy, ca: undefined }, {}),
  )

const sts = 'https://sts.eu-central-1.amazonaws.com'

const plain = { name: 'http://proxy.example:3128', protocol: 'http:', host: 'proxy.example', port: 3128 }
const dana = `Basic ${Buffer.from('dana:secret').toString('base64')}`

test.each<[text: string, found: object, authorization?: string]>([
  ['http://proxy.example:3128', plain],
  ['proxy.example:3128', plain],
  ['http://proxy.example', { ...plain, name: 'http://proxy.example', port: 80 }],
  ['HTTPS://proxy.example/', { ...plain, name: 'https://proxy.example', protocol: 'https:', port: 443 }],
  ['http://[2001:db8::1]:3128', { ...plain, name: 'http://[2001:db8::1]:3128', host: '2001:db8::1' }],
  ['http://dana:secret@proxy.example:3128', plain, dana],
  ['dana:secret@proxy.example:3128', plain, dana],
])('%s is read as %j', (text, found, authorization) => {
  const proxy = find(sts, undefined, text)
  expect({ ...proxy, authorization: proxy?.authorization?.reveal() }).toEqual({ ...found, authorization })
})

const withPassword = find(sts, undefined, 'http://dana:p%40ss%3A@proxy.example:3128')

test('user and password become Basic authentication', () => {
  expect(withPassword?.authorization?.reveal()).toBe(`Basic ${Buffer.from('dana:p@ss:').toString('base64')}`)
})

test('the authentication for a proxy refuses to be printed', () => {
  expect(JSON.parse(JSON.stringify(withPassword))).toEqual({ ...plain, authorization: '[secret]' })
})

test('a proxy without user and password gets no authentication', () => {
  expect(find(sts)?.authorization).toBeUndefined()
})

test('without a proxy everything is reached directly', () => {
  expect(findProxy(new URL(sts), toNetworkSettings({ proxy: undefined, noProxy: undefined, ca: undefined }, {}))).toBe(
    undefined,
  )
})

test.each([
  'https://localhost',
  'https://LOCALHOST.:8443',
  'https://sts.localhost',
  'http://127.0.0.1:1234',
  'https://127.9.9.9',
  'https://[::1]:1234',
  'https://[::ffff:127.0.0.1]',
])('%s is this machine itself and never behind a proxy', (url) => {
  expect(find(url)).toBeUndefined()
})

describe('NO_PROXY', () => {
  test.each<[noProxy: string, url: string]>([
    ['*', sts],
    ['a.example,*', sts],
    ['sts.eu-central-1.amazonaws.com', sts],
    ['amazonaws.com', sts],
    ['.amazonaws.com', sts],
    ['*.amazonaws.com', sts],
    ['AmazonAWS.com.', sts],
    ['amazonaws.com:443', sts],
    ['.amazonaws.com:8443', `${sts}:8443`],
    [' a.example , amazonaws.com ', sts],
    ['a.example amazonaws.com', sts],
    ['amazonaws.com', 'https://amazonaws.com'],
    ['.amazonaws.com', 'https://amazonaws.com'],
    ['10.1.2.3', 'https://10.1.2.3'],
    ['10.1.2.3:443', 'https://10.1.2.3'],
    ['10.0.0.0/8', 'https://10.1.2.3:8443'],
    ['10.1.2.3/32', 'https://10.1.2.3'],
    ['0.0.0.0/0', 'https://192.0.2.1'],
    ['2001:db8::1', 'https://[2001:db8::1]'],
    ['[2001:db8::1]', 'https://[2001:db8::1]'],
    ['[2001:db8::1]:8443', 'https://[2001:db8::1]:8443'],
    ['2001:db8::/32', 'https://[2001:db8:9::1]'],
    ['2001:0db8:0000::1', 'https://[2001:db8::1]'],
  ])('%s passes the proxy by for %s', (noProxy, url) => {
    expect(find(url, noProxy)).toBeUndefined()
  })

  test.each<[noProxy: string, url: string]>([
    ['', sts],
    [',', sts],
    ['.', sts],
    ['amazonaws.com.evil.example', sts],
    ['aws.com', sts],
    ['amazonaws.com:8443', sts],
    ['amazonaws.com:443', `${sts}:8443`],
    ['sts.*.amazonaws.com', sts],
    ['amazonaws.com', 'https://notamazonaws.com'],
    ['amazonaws.com', 'https://amazonaws.com.evil.example'],
    ['10.0.0.0/8', 'https://11.1.2.3'],
    ['10.0.0.0/8:8443', 'https://10.1.2.3'],
    ['10.0.0.0/33', 'https://10.1.2.3'],
    ['10.0.0.0/', 'https://10.1.2.3'],
    ['10.0.0.0/8', 'https://10.example'],
    ['1', 'https://10.0.0.1'],
    ['2001:db8::/32', 'https://[2001:db9::1]'],
    ['[2001:db8::1]:8443', 'https://[2001:db8::1]'],
    ['0.0.0.0/0', 'https://[2001:db8::1]'],
  ])('%j does not pass the proxy by for %s', (noProxy, url) => {
    expect(find(url, noProxy)).toEqual(plain)
  })
})
