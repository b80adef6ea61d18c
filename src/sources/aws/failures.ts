import { HelperError } from '../../runtime/failure.ts'

/** The words for what was asked, for whichever way it fails. */
export interface Asked {
  /** Who was asked, such as "AWS STS in eu-central-1". */
  readonly asked: string
  /** The sentence for a refusal, to which the error code is added. */
  readonly refusal: string
  /** The way out of a refusal. */
  readonly way: string
}

/** What an AWS error code means where the general words would mislead. Codes as the services answer them. */
const known: Readonly<
  Record<string, { kind: 'refused' | 'sign-in-required' | 'unavailable'; means: string; way: string }>
> = {
  ExpiredToken: expired(),
  ExpiredTokenException: expired(),
  InvalidClientTokenId: {
    kind: 'refused',
    means: 'the access key does not exist, or no longer',
    way: 'put a current access key into the credentials file, or sign in again',
  },
  SignatureDoesNotMatch: {
    kind: 'refused',
    means: "the secret access key does not belong to the access key id, or this machine's clock is wrong",
    way: 'compare the clock with the time of day; then copy both keys anew',
  },
  RequestTimeTooSkewed: clock(),
  RequestExpired: clock(),
  InvalidIdentityToken: {
    kind: 'refused',
    means: 'the identity token is not accepted',
    way: 'check its issuer and audience against the identity provider that the AWS account knows',
  },
  RegionDisabledException: {
    kind: 'refused',
    means: 'AWS STS is switched off for this region in the account',
    way: 'activate STS for the region in the account settings of IAM, or set another region',
  },
}

/** Codes under which a service asks for patience. */
const busy =
  /^(Throttling|ThrottlingException|TooManyRequestsException|RequestLimitExceeded|ServiceUnavailable|InternalFailure|InternalServerError|IDPCommunicationError)/

/**
 * An error of the SDK as a failure of ours: unreachable, busy, or refused with the service's code. The service's text
 * is left out, because it repeats what was sent.
 */
export function asFailure(error: unknown, { asked, refusal, way }: Asked): HelperError {
  if (error instanceof HelperError) return error
  const { name, code, status } = read(error)
  if (status === undefined) return asUnreachable(error, asked, code ?? name)
  const options = { cause: error }
  const meaning = known[name]
  if (meaning) return new HelperError(meaning.kind, `${refusal}: ${name}: ${meaning.means}`, meaning.way, options)
  if (busy.test(name) || status >= 500 || status === 429)
    return new HelperError(
      'unavailable',
      `${asked} is busy or broken (${name}, HTTP ${status})`,
      'try again in a moment',
      options,
    )
  return new HelperError('refused', `${refusal}: ${name}`, way, options)
}

function asUnreachable(error: unknown, asked: string, code: string): HelperError {
  const isTls = /CERT|TLS|SSL|SELF_SIGNED|ISSUER/.test(code)
  return new HelperError(
    'unavailable',
    `${asked} cannot be reached (${code})`,
    isTls
      ? "name the file with your organization's certificate authority in NODE_EXTRA_CA_CERTS"
      : 'check the network, the VPN and the proxy',
    { cause: error },
  )
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
  return { name, code, status: $metadata?.httpStatusCode }
}

function expired() {
  return {
    kind: 'sign-in-required' as const,
    means: 'the credentials that were to assume it have expired',
    way: 'renew the credentials, for SSO with: aws sso login',
  }
}

function clock() {
  return { kind: 'refused' as const, means: "this machine's clock is wrong", way: 'set the clock of this machine' }
}
