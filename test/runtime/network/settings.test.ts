import { expect, test } from 'vitest'
import { toNetworkSettings } from '../../../src/runtime/network/settings.ts'

const none = { proxy: undefined, noProxy: undefined, ca: undefined }

test('files of authorities come from the option and the variables, with the name of each', () => {
  const env = { AWS_CA_BUNDLE: '/aws.pem', NODE_EXTRA_CA_CERTS: '/node.pem' }
  const named = [
    { path: '/aws.pem', origin: 'variable AWS_CA_BUNDLE' },
    { path: '/node.pem', origin: 'variable NODE_EXTRA_CA_CERTS' },
  ]
  const ca = { path: '/own.pem', origin: 'argument' }
  expect({
    variables: toNetworkSettings(none, env).authorities,
    both: toNetworkSettings({ ...none, ca }, env).authorities,
    empty: toNetworkSettings(none, { AWS_CA_BUNDLE: '' }).authorities,
  }).toEqual({ variables: named, both: [ca, ...named], empty: [] })
})

test.each<[value: string | undefined, verification: string]>([
  ['0', 'switched off'],
  ['1', 'on'],
  ['', 'on'],
  [undefined, 'on'],
])('NODE_TLS_REJECT_UNAUTHORIZED=%s: verification is %s', (value, verification) => {
  expect(toNetworkSettings(none, { NODE_TLS_REJECT_UNAUTHORIZED: value }).verification).toBe(verification)
})
