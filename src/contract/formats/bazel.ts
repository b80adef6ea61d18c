import { listSentHeaders } from './headers.ts'
import { findTokenProblems, type OutputWriter } from './output-writer.ts'
import { renderInstant } from './render-instant.ts'

/** Reads the address in a request (`GetCredentialsRequest` of the credential helper specification); `undefined` for anything else. */
export function parseBazelRequest(text: string): string | undefined {
  try {
    const { uri } = JSON.parse(text) ?? {}
    return typeof uri === 'string' ? uri : undefined
  } catch {
    return undefined // not JSON; the caller says so
  }
}

/** `GetCredentialsResponse` of that specification: lists of values, and the end as RFC 3339 has it. */
export const bazelWriter: OutputWriter = {
  findProblems: (output, rules) => findTokenProblems(output, 'bazel', rules),
  render: (output) => {
    const headers = Object.fromEntries(listSentHeaders(output).map(([name, value]) => [name, [value]]))
    const { expiresAt } = output
    return `${JSON.stringify({ headers, ...(expiresAt && { expires: renderInstant(expiresAt) }) })}\n`
  },
}
