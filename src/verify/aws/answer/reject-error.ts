import { TokenRefusal } from '../../token-refusal.ts'

/** An error of AWS STS. */
interface StsError {
  readonly code: string
  readonly message: string
}

/** Codes with which AWS says that it is failing, or asked too often; with the message of an error they come under 4xx too. */
const outage =
  /^(Throttl|RequestThrottled|RequestLimitExceeded|TooManyRequests|SlowDown|ServiceUnavailable|Internal|RequestTimeout$)/

/** What an error means to whoever sent the proof; the rows are tried in order. The messages of AWS are compared and never repeated. */
const meanings: readonly { readonly fits: (error: StsError) => boolean; readonly detail: string }[] = [
  {
    fits: ({ code, message }) => /^(ExpiredToken|RequestExpired)/.test(code) || message.startsWith('Signature expired'),
    detail: 'AWS STS says that it has expired, or that the credentials have that signed it',
  },
  {
    fits: ({ message }) => message.startsWith('Signature not yet current'),
    detail: 'AWS STS says that it is signed in the future: the clock that signed it is ahead',
  },
  {
    fits: ({ code }) => code === 'SignatureDoesNotMatch',
    detail: 'AWS STS says that its signature does not hold: it is for another audience, or was changed',
  },
  {
    fits: ({ code }) => /^(InvalidClientTokenId|UnrecognizedClient|InvalidAccessKeyId)/.test(code),
    detail: 'AWS STS says that it does not know the credentials that signed it',
  },
]

/** The refusal that an error of AWS STS amounts to. */
export function rejectError(error: StsError, status: number): TokenRefusal {
  const note = `AWS STS answered HTTP ${status}, ${error.code}`
  if (outage.test(error.code)) return new TokenRefusal('aws-unavailable', { note })
  const detail = meanings.find(({ fits }) => fits(error))?.detail
  return new TokenRefusal('aws-refused', { note, ...(detail !== undefined && { detail }) })
}
