import { expect, test } from 'vitest'
import { HelperError } from '../../../../src/runtime/failure.ts'
import { asFailure, findOutage } from '../../../../src/sources/aws/sdk/failures.ts'

const asked = {
  asked: 'AWS STS',
  refusal: 'AWS STS refused it',
  way: 'allow it',
  proof: { name: 'the sign-in', renewal: 'sign in' },
}

const network = 'check the network, the VPN and the proxy'

test.each(['ECONNREFUSED', 'ENOTFOUND'])('%s is told with its way out, however deep it hides', (code) => {
  const inner = Object.assign(new Error('canary'), { code })
  for (const error of [inner, new Error('x', { cause: inner }), new AggregateError([inner])])
    expect(asFailure(error, asked)).toMatchObject({
      kind: 'unavailable',
      message: `AWS STS cannot be reached (${code})`,
      hint: network,
    })
})

test.each([
  ['AccessDenied', 403, 'refused', 'AWS STS refused it: AccessDenied', 'allow it'],
  ['InvalidClientTokenId', 403, 'refused', /the access key does not exist/, 'sign in'],
  ['ExpiredTokenException', 400, 'sign-in-required', /ExpiredTokenException: the sign-in expired$/, 'sign in'],
  ['RegionDisabledException', 403, 'refused', /switched off for this region/, /^activate STS/],
  ['RequestExpired', 400, 'refused', /clock is wrong/, 'set the clock of this machine'],
  ['Throttling', 400, 'unavailable', 'AWS STS is busy or broken (Throttling, HTTP 400)', 'try again in a moment'],
  ['IDPCommunicationErrorException', 400, 'unavailable', /is busy or broken/, 'try again in a moment'],
  ['Unknown', 500, 'unavailable', 'AWS STS is busy or broken (Unknown, HTTP 500)', 'try again in a moment'],
])('the code %s with HTTP %i is %s', (name, httpStatusCode, kind, message, hint) => {
  const failure = asFailure({ name, message: 'canary', $metadata: { httpStatusCode } }, asked)
  expect(failure.kind).toBe(kind)
  expect(failure.message).toMatch(message)
  expect(failure.hint).toMatch(hint)
  expect(`${failure.message}${failure.hint}`).not.toContain('canary')
})

test('a failure that already has its words keeps them', () => {
  const late = new HelperError('late', 'it took too long', 'wait')
  expect(asFailure(late, asked)).toBe(late)
})

test('where nothing went wrong on the way there is no outage to tell', () => {
  expect(findOutage(undefined, 'AWS SSO')).toBeUndefined()
})
