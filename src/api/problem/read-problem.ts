import { HelperError } from '../../runtime/failure.ts'
import { readBody } from '../../runtime/network/fetch/read-body.ts'
import { ApiError, type ApiProblem } from './api-error.ts'
import { parseProblem } from './parse-problem.ts'
import { safeCode } from './safe-words.ts'

export interface AskedFor extends Pick<ApiProblem, 'workspace'> {
  /** What was sent and must not come back in a message. */
  readonly secrets: readonly string[]
}

/** Reads an answer that is no success, as far as it is one of the API. */
export async function readProblem(response: Response, { secrets, workspace }: AskedFor): Promise<ApiError> {
  const { requestId = safeCode(response.headers.get('request-id'), secrets), ...said } = parseProblem(
    await readWords(response),
    secrets,
  )
  return new ApiError({ ...said, status: response.status, requestId, workspace })
}

/** The status is the answer even where its words break off or never end. */
async function readWords({ body }: Response): Promise<string> {
  try {
    return Buffer.from(await readBody(body ?? [], 'the API')).toString()
  } catch (error) {
    if (error instanceof HelperError) return ''
    throw error
  }
}
