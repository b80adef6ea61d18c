import { HelperError } from '../../runtime/failure.ts'
import { readBody } from '../../runtime/network/fetch/read-body.ts'
import { ApiError, type ApiProblem } from './api-error.ts'
import { parseProblem } from './parse-problem.ts'
import { toSafeCode } from './safe-text.ts'

/** The request that was refused. */
interface RefusedRequest extends Pick<ApiProblem, 'workspace'> {
  /** What was sent and must not be printed. */
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

/** The text of the body; empty where it breaks off or is too long, because the status alone is an answer. */
async function readText({ body }: Response): Promise<string> {
  try {
    return Buffer.from(await readBody(body ?? [], 'the API')).toString()
  } catch (error) {
    if (error instanceof HelperError) return ''
    throw error
  }
}
