import { expect, test } from 'vitest'
import { HelperError } from '../../../../src/runtime/failure.ts'
import { toFailure } from '../../../../src/sources/aws/request/request-failures.ts'

const wording = {
  service: 'AWS STS',
  refusal: 'AWS STS refused it',
  hint: 'allow it',
  proof: { name: 'the sign-in', renewalHint: 'sign in' },
}

const network = 'check the network, the VPN and the proxy'

test.each(['ECONNREFUSED', 'ENOTFOUND'])('%s has its message and hint at any depth of causes', (code) => {
  const inner = Object.assign(new Error('canary'), { code })
  const errors = [inner, new Error('x', { cause: inner }), new AggregateError([inner])]
  const failure = new HelperError('unavailable', `AWS STS cannot be reached (${code})`, network)
  expect(errors.map((error) => toFailure(error, wording))).toEqual([failure, failure, failure])
})

test.each([
  ['AccessDenied', 403, 'refused', 'AWS STS refused it: AccessDenied', 'allow it'],
  [
    'InvalidClientTokenId',
    403,
    'refused',
    'AWS STS refused it: InvalidClientTokenId: the access key does not exist, or no longer exists',
    'sign in',
  ],
  [
    'ExpiredTokenException',
    400,
    'sign-in-required',
    'AWS STS refused it: ExpiredTokenException: the sign-in expired',
    'sign in',
  ],
  [
    'RegionDisabledException',
    403,
    'refused',
    'AWS STS refused it: RegionDisabledException: AWS STS is switched off for this region in the account',
    'activate STS for the region in the account settings of IAM, or set another region',
  ],
  [
    'RequestExpired',
    400,
    'refused',
    "AWS STS refused it: RequestExpired: this machine's clock is wrong",
    'set the clock of this machine',
  ],
  ['Throttling', 400, 'unavailable', 'AWS STS is busy or broken (Throttling, HTTP 400)', 'try again in a moment'],
  [
    'IDPCommunicationErrorException',
    400,
    'unavailable',
    'AWS STS is busy or broken (IDPCommunicationErrorException, HTTP 400)',
    'try again in a moment',
  ],
  ['Unknown', 500, 'unavailable', 'AWS STS is busy or broken (Unknown, HTTP 500)', 'try again in a moment'],
])('the code %s with HTTP %i is %s', (name, httpStatusCode, kind, message, hint) => {
  const failure = toFailure({ name, message: 'canary', $metadata: { httpStatusCode } }, wording)
  expect([failure.kind, failure.message, failure.hint]).toEqual([kind, message, hint])
})

test.each([new TypeError('canary'), new RangeError('canary'), new ReferenceError('canary')])(
  'a defect is not reported as an unreachable service or a refusal: $name',
  (error) => {
    expect(toFailure(error, wording)).toEqual(
      new HelperError(
        'bug',
        `this program has a defect (${error.name})`,
        'report it to whoever gave you the program, with the output of --version and what you did',
      ),
    )
  },
)

test.each([
  ['ERR_INVALID_URL', Object.assign(new TypeError('canary'), { code: 'ERR_INVALID_URL' })],
  ['Error', new Error('canary')],
])('settings that allow no request are named: %s', (code, error) => {
  expect(toFailure(error, wording)).toEqual(
    new HelperError(
      'not-configured',
      `no request to AWS STS can be made (${code})`,
      'check the region, and the endpoint in AWS_ENDPOINT_URL or endpoint_url',
    ),
  )
})

test('a HelperError stays as it is', () => {
  const late = new HelperError('late', 'it took too long', 'wait')
  expect(toFailure(late, wording)).toBe(late)
})
