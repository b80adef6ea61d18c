import { type FailureKind, HelperError } from '../../runtime/failure.ts'
import { vendor } from '../../vendor.ts'

/** What the API said when it refused. */
export interface ApiProblem {
  readonly status: number
  /** `error.type` of the envelope or, from the token exchange, `error`; `undefined` where the answer has neither. */
  readonly type: string | undefined
  /** The server's own words, made safe to repeat. */
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
      kindOf(status),
      `HTTP ${status}${type === undefined ? '' : ` ${type}`}: ${message}${request}`,
      hintFor(problem),
    )
    this.name = 'ApiError'
    this.status = status
    this.type = type
    this.requestId = requestId
  }
}

interface HintRow {
  readonly when: (problem: ApiProblem) => boolean
  readonly hint: string
}

const listWorkspaces = 'an administrative key lists them: gatepass api workspaces list --include-default'

/** The rows of "Errors", then what the documents leave open. The first that fits counts. */
const hints: readonly HintRow[] = [
  {
    when: ({ status, type, workspace, message }) =>
      status === 400 && type === 'invalid_request_error' && workspace === 'not-named' && isAboutWorkspace(message),
    hint: `the key is not scoped to a workspace: name one in ${vendor.workspaceHeader} (--workspace); ${listWorkspaces}`,
  },
  {
    when: ({ status, type, message }) =>
      status === 400 && type === 'invalid_request_error' && isAboutWorkspace(message),
    hint: `send the ID of a workspace that the credential is for in ${vendor.workspaceHeader} (--workspace); ${listWorkspaces}`,
  },
  {
    when: ({ status, workspace }) => status === 404 && workspace === 'named',
    hint: `check the path, that the workspace exists, and that the key's owner has access to it; ${listWorkspaces}`,
  },
  {
    when: ({ status }) => status === 404,
    hint: 'check the path and the IDs in it, which belong to the workspace of the credential; the address of the API ends before /v1',
  },
  {
    when: ({ status }) => status === 401,
    hint: 'the credential is expired, disabled or not a credential of this platform: use another; an expired key cannot be reactivated',
  },
  {
    when: ({ status }) => status === 403,
    hint: 'use a credential that is for this: an attestation token only sends messages, a key for one workspace does not administrate',
  },
  {
    when: ({ status }) => status >= 300 && status < 400,
    hint: 'give the address that the API really has: it redirects, and nobody follows with a credential',
  },
  { when: ({ status }) => status === 405, hint: 'check the method and the path' },
  { when: ({ status }) => status === 408, hint: 'send it again: it did not arrive as a whole in time' },
  { when: ({ status }) => status === 429, hint: 'wait, then send it again; send less at a time' },
  { when: ({ status }) => status === 413, hint: 'send less in one request' },
  {
    when: ({ status }) => status >= 500,
    hint: 'send it again later; if it stays so, tell the platform the id of the request',
  },
  {
    when: ({ type }) => type === undefined,
    hint: 'check that the address is that of the API and not of a page or proxy before it',
  },
]

function hintFor(problem: ApiProblem): string {
  return hints.find(({ when }) => when(problem))?.hint ?? 'correct the request as the message says'
}

function isAboutWorkspace(message: string): boolean {
  return message.includes(vendor.workspaceHeader)
}

function kindOf(status: number): FailureKind {
  return status === 408 || status === 429 || status >= 500 ? 'unavailable' : 'refused'
}
