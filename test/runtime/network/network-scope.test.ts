import { expect, test } from 'vitest'
import { isMetadataHost } from '../../../src/runtime/network/addresses.ts'

test.each([
  '169.254.169.254',
  '169.254.130.1',
  '[fe80::1]',
  '[fd00:ec2::254]',
  '[fd20:ce::254]',
  'metadata.google.internal',
  'Metadata.Google.Internal.',
])('%s is a metadata service', (host) => {
  expect(isMetadataHost(host)).toBe(true)
})

test.each(['169.253.0.1', '10.0.0.1', '127.0.0.1', '[fd00::1]', '[::1]', 'localhost', 'google.internal', ''])(
  '%j is not a metadata service',
  (host) => {
    expect(isMetadataHost(host)).toBe(false)
  },
)
