import { expect, test } from 'vitest'
import { findNetworkCode } from '../../../src/runtime/network/network-failure.ts'

const withCode = (code: string, options?: ErrorOptions) => Object.assign(new Error('x', options), { code })

test.each([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'EPIPE',
  'EPROTO',
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'ERR_STREAM_PREMATURE_CLOSE',
  'HPE_INVALID_CONSTANT',
  'UND_ERR_SOCKET',
  'CERT_HAS_EXPIRED',
  'CERT_REVOKED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ABORT_ERR',
])('%s is a network failure at any depth of causes', (code) => {
  const error = withCode(code)
  const wrapped = [error, new TypeError('fetch failed', { cause: error }), new AggregateError([error])]
  expect(wrapped.map(findNetworkCode)).toEqual([code, code, code])
})

test.each([
  ['a TypeError', new TypeError('x')],
  ['a header that cannot be sent', withCode('ERR_INVALID_CHAR')],
  ['an argument of the wrong type', withCode('ERR_INVALID_ARG_TYPE')],
  ['an error with another cause', new Error('x', { cause: new RangeError('y') })],
  ['an error with a numeric code', Object.assign(new Error('x'), { code: 20 })],
  ['a string', 'ECONNREFUSED'],
  ['nothing', undefined],
  ['null', null],
])('%s is not a network failure', (_, error) => {
  expect(findNetworkCode(error)).toBeUndefined()
})
