import { HelperError } from '../runtime/failure.ts'
import { type ResponseBound, readBounded } from '../runtime/network/bounded-body.ts'
import { ApiError, type ApiProblem, parseProblem } from './api-error.ts'
import { addressHint, toSafeCode } from './safe-text.ts'

/** The request that was refused. */
interface RefusedRequest extends Pick<ApiProblem, 'workspace'> {
  /** Values of the request that must not be printed: the answer may repeat them. */
  readonly secrets: readonly string[]
}

/** Reads an answer with an error status. */
export async function readProblem(response: Response, { secrets, workspace }: RefusedRequest): Promise<ApiError> {
  const { requestId = toSafeCode(response.headers.get('request-id'), secrets), ...problem } = parseProblem(
    await readText(response),
    secrets,
  )
  return new ApiError({ ...problem, status: response.status, requestId, workspace })
}

/** The bound of an answer with an error, far above the length of every error. */
const problemBound: ResponseBound = { bytes: 1024 * 1024, sec: 30, hint: addressHint }

/** The text of the body; empty where it breaks off or is beyond the bound, because the status alone is an answer. */
async function readText(response: Response): Promise<string> {
  try {
    return (await readBounded(response, 'the API', problemBound)).toString()
  } catch (error) {
    if (error instanceof HelperError) return ''
    throw error
  }
}
