// Makes failures of AWS's errors; `foreign-answer.ts` refuses answers that are not AWS's.

import { isThrottlingError } from '@smithy/core/retry'
import { parseDenial } from '../../../contract/aws/denial.ts'
import type { Permission } from '../../../helper/diagnosis.ts'
import { clockHint, HelperError, isProgrammingError, toHelperError } from '../../../runtime/failure.ts'
import {
  findNetworkCode,
  isBusyStatus,
  toBusyFailure,
  toUnreachableFailure,
} from '../../../runtime/network/network-failure.ts'
import { type AwsError, toErrorCode } from './aws-error.ts'
import { toForeignAnswer } from './foreign-answer.ts'

/** Returns whether a code means that the service is failing or gets too many requests. */
export function isOutageCode(name: string): boolean {
  return outageCodes.test(name) || isThrottlingError({ name, message: '' })
}

/** Codes that mean that a service is failing. */
const outageCodes =
  /^(ServiceUnavailable|InternalFailure|InternalServerError|InternalServiceError|IDPCommunicationError)/

/**
 * Converts the error of a request to AWS to a failure: unreachable, busy, or refused with the service's code. The service's own text is
 * left out, because it repeats what was sent.
 */
export function toFailure(error: unknown, wording: FailureWording): HelperError {
  if (error instanceof HelperError) return error
  return findOutage(error, wording.service) ?? toRefusal(error, wording)
}

/** The words of a failed request's message. */
interface FailureWording {
  /** The service, such as "AWS STS in eu-central-1". */
  readonly service: string
  /** The sentence for a refusal, to which the error code is added. */
  readonly refusal: string
  /** The hint for a refusal, imperative. */
  readonly hint: string
  /** The credentials of the request, and how a person renews them. */
  readonly proof: { readonly name: string; readonly renewalHint: string }
}

/**
 * Finds the failure of a service that did not answer or is busy; `undefined` if it answered. A defect in our code counts as a failure too,
 * and not as an answer.
 */
function findOutage(error: unknown, service: string): HelperError | undefined {
  const { name, status } = toRequestError(error)
  if (status === undefined) return toUnanswered(error, service)
  if (status < 400) return toForeignAnswer(service, status, error)
  if (!isOutageCode(name) && !isBusyStatus(status)) return undefined
  return toBusyFailure(service, `${name}, HTTP ${status}`, { cause: error })
}

function toRefusal(error: unknown, { refusal, hint, proof }: FailureWording): HelperError {
  const { name } = toRequestError(error)
  const code = toErrorCode({ name })
  const options = { cause: error }
  if (code === 'ExpiredToken')
    return new HelperError('sign-in-required', `${refusal}: ${name}: ${proof.name} expired`, proof.renewalHint, options)
  const known = Object.hasOwn(knownErrors, code) ? knownErrors[code] : undefined
  return known
    ? new HelperError('refused', `${refusal}: ${name}: ${known.meaning}`, known.hint ?? proof.renewalHint, options)
    : new HelperError('refused', `${refusal}: ${name}`, hint, options)
}

const unknownKey = { meaning: 'the access key does not exist, or no longer exists' }
const wrongSignature = {
  meaning: "the secret access key does not belong to the access key id, or this machine's clock is wrong",
  hint: 'compare the clock with the time of day; then copy both keys again',
}
const clockError = { meaning: "this machine's clock is wrong", hint: clockHint }

/**
 * AWS error codes for which the general words would mislead. Without a hint of its own, a row advises to renew the proof. The codes are
 * without the ending `Exception`.
 */
const knownErrors: Readonly<Record<string, { meaning: string; hint?: string }>> = {
  InvalidClientTokenId: unknownKey,
  UnrecognizedClient: unknownKey,
  SignatureDoesNotMatch: wrongSignature,
  InvalidSignature: wrongSignature,
  RequestTimeTooSkewed: clockError,
  RequestExpired: clockError,
  InvalidIdentityToken: {
    meaning: 'the identity token is not accepted',
    hint: 'check its issuer and audience against the identity provider that the AWS account knows',
  },
  RegionDisabled: {
    meaning: 'AWS STS is switched off for this region in the account',
    hint: 'activate STS for the region in the account settings of IAM, or set another region',
  },
  ValidationError: {
    meaning: 'AWS does not accept duration_seconds, role_session_name or external_id',
    hint: "correct them; duration_seconds is at most the role's own limit, and 3600 for a role that another role assumes",
  },
}

/** Converts an error without any answer: the network failed, the settings allow no request, or our own code is defective. */
function toUnanswered(error: unknown, service: string): HelperError {
  const { name, code } = toRequestError(error)
  const network = findNetworkCode(error) ?? (name === 'TimeoutError' ? name : undefined)
  if (network !== undefined) return toUnreachableFailure(service, network, error)
  if (isProgrammingError(error)) return toHelperError(error)
  const message = `no request to ${service} can be made (${code ?? name})`
  const hint = 'check the region, and the endpoint in AWS_ENDPOINT_URL or endpoint_url'
  return new HelperError('not-configured', message, hint, { cause: error })
}

interface RequestError {
  readonly name: string
  readonly code: string | undefined
  /** The HTTP status; `undefined` without an answer. */
  readonly status: number | undefined
}

/** Unwraps a connection error. The code of the innermost error names the reason. */
function toRequestError(error: unknown): RequestError {
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
  if ($metadata?.httpStatusCode === undefined && inner instanceof Error) return toRequestError(inner)
  return { name: toPrintableCode(name), code, status: $metadata?.httpStatusCode }
}

/** Returns the code for a message. A service may send any text, so only one that looks like a code is repeated. */
function toPrintableCode(name: string): string {
  return /^[\w.]{1,80}$/.test(name) ? name : 'an unreadable error code'
}

/**
 * Describes the policy statement to add after a denial. AWS's message is searched for the kind of policy, and no other part of it is
 * repeated.
 */
export function describeDenial({ message }: Pick<AwsError, 'message'>, { action, resource }: Permission): string {
  const { deniedBy, limitedBy } = parseDenial(message) ?? {}
  if (deniedBy !== undefined)
    return `have an administrator change the ${deniedBy} that denies ${action}; a statement that allows it elsewhere does not count`
  const policy = limitedBy === undefined ? 'the policies of this identity' : `the ${limitedBy}`
  const statement = JSON.stringify({ Effect: 'Allow', Action: action, Resource: resource })
  return `have an administrator add this statement to ${policy}: ${statement}`
}
