import type { HelperOutput } from '../output.ts'
import { findTokenProblems, type OutputWriter } from './output-writer.ts'

/** One header a line, `Authorization` first, as `curl --header @-` takes it. */
export const headersWriter: OutputWriter = {
  findProblems: (output, rules) => findTokenProblems(output, 'headers', rules),
  render: (output) =>
    listSentHeaders(output)
      .map(([name, value]) => `${name}: ${value}\n`)
      .join(''),
}

/** Every header of a request: the token as a bearer (RFC 6750), then those that came with it. */
export function listSentHeaders({ token, headers }: HelperOutput): [name: string, value: string][] {
  return [['Authorization', `Bearer ${token}`], ...Object.entries(headers)]
}
