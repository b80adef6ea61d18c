import { HelperError } from '../../../runtime/failure.ts'

/** The words for what was asked, for whichever way it fails. */
export interface Asked {
  /** Who was asked, such as "AWS STS in eu-central-1". */
  readonly asked: string
  /** The sentence for a refusal, to which the error code is added. */
  readonly refusal: string
  /** The way out of a refusal. */
  readonly way: string
  /** What the service was shown to prove who asks, and how it is renewed. */
  readonly proof: { readonly name: string; readonly renewal: string }
}

/**
 * What an AWS error code means where the general words would mislead; without a way of its own, the proof is renewed.
 * Codes as the services answer them, without the `Exception` that the SDK adds to some.
 */
const known: Readonly<Record<string, { means: string; way?: string }>> = {
  InvalidClientTokenId: { means: 'the access key does not exist, or no longer' },
  SignatureDoesNotMatch: {
    means: "the secret access key does not belong to the access key id, or this machine's clock is wrong",
    way: 'compare the clock with the time of day; then copy both keys anew',
  },
  RequestTimeTooSkewed: clock(),
  RequestExpired: clock(),
  InvalidIdentityToken: {
    means: 'the identity token is not accepted',
    way: 'check its issuer and audience against the identity provider that the AWS account knows',
  },
  RegionDisabled: {
    means: 'AWS STS is switched off for this region in the account',
    way: 'activate STS for the region in the account settings of IAM, or set another region',
  },
  ValidationError: {
    means: 'AWS does not accept duration_seconds, role_session_name or external_id',
    way: "correct them; duration_seconds is at most the role's own limit, and 3600 for a role that another role assumes",
  },
}

/** Codes under which a service asks for patience. */
const busy =
  /^(Throttling|ThrottlingException|TooManyRequestsException|RequestLimitExceeded|ServiceUnavailable|InternalFailure|InternalServerError|IDPCommunicationError)/

/**
 * An error of the SDK as a failure of ours: unreachable, busy, or refused with the service's code. The service's text
 * is left out, because it repeats what was sent.
 */
export function asFailure(error: unknown, asked: Asked): HelperError {
  if (error instanceof HelperError) return error
  return findOutage(error, asked.asked) ?? asRefusal(error, asked)
}

/** The failure to tell where a service is out of reach or busy; `undefined` where it answered, or nothing went wrong. */
export function findOutage(error: unknown, asked: string): HelperError | undefined {
  if (error === undefined || error instanceof HelperError) return error
  const { name, code, status } = read(error)
  if (status === undefined) return asUnreachable(error, asked, code ?? name)
  if (status < 400)
    return new HelperError(
      'unavailable',
      `${asked} answered with what is no answer of AWS (HTTP ${status})`,
      'find out what stands between here and AWS',
      { cause: error },
    )
  if (!busy.test(name) && status < 500 && status !== 429 && status !== 408) return undefined
  const message = `${asked} is busy or broken (${name}, HTTP ${status})`
  return new HelperError('unavailable', message, 'try again in a moment', { cause: error })
}

function asRefusal(error: unknown, { refusal, way, proof }: Asked): HelperError {
  const { name } = read(error)
  const word = name.replace(/Exception$/, '')
  const options = { cause: error }
  if (word === 'ExpiredToken')
    return new HelperError('sign-in-required', `${refusal}: ${name}: ${proof.name} expired`, proof.renewal, options)
  const meaning = Object.hasOwn(known, word) ? known[word] : undefined
  return meaning
    ? new HelperError('refused', `${refusal}: ${name}: ${meaning.means}`, meaning.way ?? proof.renewal, options)
    : new HelperError('refused', `${refusal}: ${name}`, way, options)
}

function asUnreachable(error: unknown, asked: string, code: string): HelperError {
  const message = `${asked} cannot be reached (${code})`
  return new HelperError('unavailable', message, 'check the network, the VPN and the proxy', { cause: error })
}

interface SdkError {
  readonly name: string
  readonly code: string | undefined
  /** HTTP status; `undefined` when no answer came. */
  readonly status: number | undefined
}

/** Connection errors hide inside wrappers: the innermost code is the one that tells. */
function read(error: unknown): SdkError {
  const {
    name = 'Error',
    code,
    $metadata,
    cause,
    errors,
  } = error as {
    name?: string
    code?: string
    $metadata?: { httpStatusCode?: number }
    cause?: unknown
    errors?: unknown[]
  }
  const inner = cause ?? errors?.[0]
  if ($metadata?.httpStatusCode === undefined && inner instanceof Error) return read(inner)
  return { name: errorCode(name), code, status: $metadata?.httpStatusCode }
}

/** A service may answer any text in the place of its code; only what looks like one is repeated. */
function errorCode(name: string): string {
  return /^[\w.]{1,80}$/.test(name) ? name : 'an unreadable error code'
}

function clock() {
  return { means: "this machine's clock is wrong", way: 'set the clock of this machine' }
}
