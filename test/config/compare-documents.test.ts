import { expect, test } from 'vitest'
import { compareDocuments } from '../../src/config/compare-documents.ts'
import type { ConfigDocument, HelperScriptCredential } from '../../src/config/document.ts'
import { toCurrentSpelling } from '../../src/config/document-values.ts'

const helper: HelperScriptCredential = { kind: 'helper-script', command: '/h', ttlSec: 600 }
const withCredential = (credential: NonNullable<ConfigDocument['inference']>['credential'] & {}): ConfigDocument => ({
  inference: { provider: 'gateway', credential },
})
const diff = (before: ConfigDocument, after: ConfigDocument) =>
  compareDocuments(before, after).map(({ field, before, after, consent }) => [
    field.path.split('.').at(-1),
    before,
    after,
    consent,
  ])

test('lists what changes, and what needs consent again', () => {
  const after = withCredential({ ...helper, ttlSec: 900, args: ['x'] })
  expect(diff(withCredential(helper), { ...after, expiresAt: 5 })).toEqual([
    ['expiresAt', undefined, 5, 'not asked'],
    ['args', undefined, ['x'], 'asked'],
    ['ttlSec', 600, 900, 'asked'],
  ])
})

test('a default that is written out is not a difference', () => {
  expect(diff(withCredential(helper), withCredential({ ...helper, timeoutSec: 60 }))).toEqual([])
})

test('a return to the default needs no consent', () => {
  const { ttlSec: _, ...rest } = helper
  expect(diff(withCredential(helper), withCredential(rest))).toEqual([['ttlSec', 600, 3600, 'not asked']])
})

test('a deprecated spelling is not a difference', () => {
  const old = withCredential({ kind: 'interactive', oidc: { clientId: 'c' } })
  expect(diff(old, toCurrentSpelling(old))).toEqual([])
})

test('a change to any field of a provider needs consent', () => {
  const at = (clientId: string) => withCredential({ kind: 'external-idp', oidc: { clientId } })
  expect(diff(at('a'), at('b'))).toEqual([['clientId', 'a', 'b', 'asked']])
})

test('credentials are shown neither among headers nor among arguments', () => {
  const at = (token: string, route: string): ConfigDocument => ({
    inference: {
      customHeaders: { 'x-org-token': token, 'x-org': `glpat-${token}`, 'x-route': route },
      credential: { ...helper, args: ['--token', `ghp_${token}`, route] },
    },
  })
  const shown = (route: string) => ({ 'x-org-token': '[secret]', 'x-org': '[secret]', 'x-route': route })
  expect(diff(at('one', 'eu'), at('two', 'us'))).toEqual([
    ['customHeaders', shown('eu'), shown('us'), 'not asked'],
    ['args', ['--token', '[secret]', 'eu'], ['--token', '[secret]', 'us'], 'asked'],
  ])
})

test('arguments are shown without headers that hold a credential, and without the secrets of URLs', () => {
  const at = (value: string): ConfigDocument =>
    withCredential({
      ...helper,
      args: [
        ...[
          '--header',
          `X-Auth: ${value}`,
          `--header=Cookie:${value}`,
          '--header',
          'X-Team: eu',
          '--client-secret',
          value,
        ],
        ...[
          `--password=${value}`,
          '--proxy',
          `http://bob:${value}@proxy:3128`,
          `--identity-url=https://idp/t?k=${value}`,
        ],
      ],
    })
  const shown = [
    ...[
      '--header',
      'X-Auth: [secret]',
      '--header=Cookie: [secret]',
      '--header',
      'X-Team: eu',
      '--client-secret',
      '[secret]',
    ],
    ...['--password=[secret]', '--proxy', 'http://[secret]@proxy:3128', '--identity-url=https://idp/t?[secret]'],
  ]
  expect(diff(at('one'), at('two'))).toEqual([['args', shown, shown, 'asked']])
})

test('an address is shown without its password and query', () => {
  const at = (key: string): ConfigDocument => ({ inference: { baseUrl: `https://u:${key}@gateway/v1?key=${key}` } })
  const shown = 'https://[secret]@gateway/v1?[secret]'
  expect(diff(at('one'), at('two'))).toEqual([['baseUrl', shown, shown, expect.anything()]])
})

test('secrets are never shown', () => {
  const at = (apiKey: string) => withCredential({ kind: 'static', apiKey })
  expect(diff(at('one'), at('two'))).toEqual([['apiKey', '[secret]', '[secret]', 'not asked']])
})
