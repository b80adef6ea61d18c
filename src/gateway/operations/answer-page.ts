import type { AuthenticatedCall } from '../http/platform-env.ts'

/** Answers with a page of a list, as JSON, which is rendered and encoded once until the state changes. */
export function answerPage({ pages, request, workspace }: AuthenticatedCall, render: () => string): Response {
  // The same request in the same workspace asks for the same page.
  const page = pages(`${workspace?.id} ${request.req.url}`, () => {
    const value = Buffer.from(render())
    return { value, until: Number.POSITIVE_INFINITY, size: value.byteLength }
  })
  return request.body(page, 200, { 'content-type': 'application/json' })
}
