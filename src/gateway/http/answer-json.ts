import type { Context } from 'hono'

/** An answer whose JSON is already text. */
export function answerJson(request: Context, json: string): Response {
  return request.body(json, 200, { 'content-type': 'application/json' })
}
