import { expect, test } from 'vitest'
import { HelperError } from '../../../src/runtime/failure.ts'
import { createNetworkFetch } from '../../../src/runtime/network/network-fetch.ts'
import { toNetworkSettings } from '../../../src/runtime/network/settings.ts'

const network = toNetworkSettings({ proxy: undefined, noProxy: undefined, ca: undefined }, {})

/** Asks with a signal that is aborted already, so that whatever passes the checks ends there and nothing is sent. */
function ask(url: string, scope: 'any-host' | 'metadata') {
  return createNetworkFetch({ network, scope, signal: AbortSignal.abort(), report: () => {} })(url, {})
}

test('a metadata service is asked over plain http in the scope metadata', async () => {
  await expect(ask('http://169.254.169.254/token', 'metadata')).rejects.toEqual(
    new HelperError(
      'unavailable',
      '169.254.169.254 cannot be reached (ABORT_ERR)',
      'check the network, the VPN and the proxy',
    ),
  )
})

test.each<[url: string, scope: 'any-host' | 'metadata', host: string]>([
  ['http://169.254.169.254/token', 'any-host', '169.254.169.254'],
  ['http://metadata.google.internal/token', 'any-host', 'metadata.google.internal'],
  ['http://id.example/token', 'metadata', 'id.example'],
])('%s is not requested in the scope %s', async (url, scope, host) => {
  await expect(ask(url, scope)).rejects.toEqual(
    new HelperError(
      'not-configured',
      `${host} would be asked over plain http, which anybody on the network can read`,
      `write https:// in front of ${host}`,
    ),
  )
})
