import { listSentHeaders, type OutputWriter, renderInstant, validateToken } from './output-writer.ts'

/** Reads the address in a request (`GetCredentialsRequest` of the credential helper specification); `undefined` for anything else. */
export function parseBazelRequest(text: string): string | undefined {
  try {
    const { uri } = JSON.parse(text) ?? {}
    return typeof uri === 'string' ? uri : undefined
  } catch {
    return undefined // not JSON; the caller says so
  }
}

/** `GetCredentialsResponse` of that specification: lists of values, and the expiry as RFC 3339 writes it. */
export const bazelWriter: OutputWriter = {
  findProblems: (output, rules) => validateToken(output, 'bazel', rules),
  render: (output) => {
    const headers = Object.fromEntries(listSentHeaders(output).map(([name, value]) => [name, [value]]))
    const { expiresAt } = output
    return `${JSON.stringify({ headers, ...(expiresAt && { expires: renderInstant(expiresAt) }) })}\n`
  },
}
