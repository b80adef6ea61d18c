import { HelperError } from '../runtime/failure.ts'
import { isBusyStatus, isRedirectStatus } from '../runtime/network/network-failure.ts'
import { parseObject, toObject } from '../runtime/values/json-value.ts'
import { vendor } from '../vendor.ts'
import { addressHint, toSafeCode, toSafeText } from './safe-text.ts'

/** A refusal as the API described it. */
export interface ApiProblem {
  readonly status: number
  /** `error.type` of the envelope, or `error` of the token exchange; `undefined` where the answer has neither. */
  readonly type: string | undefined
  /** The server's own text, made safe to print. */
  readonly message: string
  readonly requestId: string | undefined
  /** Whether the request named a workspace. */
  readonly workspace: 'named' | 'not-named'
}

/** A request that the API refused. */
export class ApiError extends HelperError {
  readonly status: number
  readonly type: string | undefined
  readonly requestId: string | undefined

  constructor(problem: ApiProblem) {
    const { status, type, message, requestId } = problem
    const request = requestId === undefined ? '' : ` (request ${requestId})`
    super(
      isBusyStatus(status) ? 'unavailable' : 'refused',
      `HTTP ${status}${type === undefined ? '' : ` ${type}`}: ${message}${request}`,
      chooseHint(problem),
    )
    this.name = 'ApiError'
    this.status = status
    this.type = type
    this.requestId = requestId
  }
}

const listHint = 'to list them, with an administrative key: gatepass api workspaces list --include-default'

/** The rows of table "Errors", then hints for what the specification leaves open. The first row that matches counts. */
const hints: readonly { readonly when: (problem: ApiProblem) => boolean; readonly hint: string }[] = [
  {
    when: ({ status, type, workspace, message }) =>
      status === 400 && type === 'invalid_request_error' && workspace === 'not-named' && isAboutWorkspace(message),
    hint: `name a workspace in ${vendor.workspaceHeader} (--workspace), because the key is not scoped to one; ${listHint}`,
  },
  {
    when: ({ status, type, message }) =>
      status === 400 && type === 'invalid_request_error' && isAboutWorkspace(message),
    hint: `send the ID of a workspace that the credential is for in ${vendor.workspaceHeader} (--workspace); ${listHint}`,
  },
  {
    when: ({ status, workspace }) => status === 404 && workspace === 'named',
    hint: `check the path, that the workspace exists, and that the key's owner has access to it; ${listHint}`,
  },
  {
    when: ({ status }) => status === 404,
    hint: 'check the path and the IDs in it, which belong to the workspace of the credential; the address of the API ends before /v1',
  },
  {
    when: ({ status }) => status === 401,
    hint: 'use another credential: this one is expired, disabled or not of this platform; an expired key cannot be reactivated',
  },
  {
    when: ({ status }) => status === 403,
    hint: 'use a credential that may do this: an attestation token only sends messages, and a key for one workspace does not administer',
  },
  {
    when: ({ status }) => isRedirectStatus(status),
    hint: "set the API's own address: this one redirects, and redirects are not followed with a credential",
  },
  { when: ({ status }) => status === 405, hint: 'check the method and the path' },
  { when: ({ status }) => status === 408, hint: 'send it again: the request did not arrive completely in time' },
  { when: ({ status }) => status === 429, hint: 'wait, then send it again; send less at a time' },
  { when: ({ status }) => status === 413, hint: 'send less in one request' },
  {
    when: ({ status }) => status >= 500,
    hint: 'send it again later; if it still fails, report the request id to the platform',
  },
  {
    when: ({ type }) => type === undefined,
    hint: addressHint,
  },
]

function chooseHint(problem: ApiProblem): string {
  return hints.find(({ when }) => when(problem))?.hint ?? 'correct the request as the message says'
}

function isAboutWorkspace(message: string): boolean {
  return message.includes(vendor.workspaceHeader)
}

type ParsedProblem = Pick<ApiProblem, 'type' | 'message' | 'requestId'>

/**
 * Parses an error, in the API's envelope or in the form of RFC 6749, section 5.2, which the token exchange may use. Never
 * throws. Text that is not in these forms, such as a proxy's web page, is not repeated, and neither is anything that was sent.
 * @param secrets What was sent and must not be printed.
 */
export function parseProblem(body: string, secrets: readonly string[]): ParsedProblem {
  const { error, error_description, request_id } = parseObject(body) ?? {}
  const requestId = toSafeCode(request_id, secrets)
  const toMessage = (text: unknown, otherwise: string) =>
    typeof text === 'string' ? toSafeText(text, secrets) : otherwise
  if (typeof error === 'string')
    return { type: toSafeCode(error, secrets), message: toMessage(error_description, 'no description'), requestId }
  const { type, message } = toObject(error)
  return {
    type: toSafeCode(type, secrets),
    message: toMessage(message, undocumentedForm),
    requestId,
  }
}

/** The problem of an answer that is neither what was asked for nor an error of the API. */
export const undocumentedForm = 'the answer does not have the form that the API documents'
