import { findTokenProblems, type OutputWriter } from './output-writer.ts'

/** The document of the client. It has no member for the end of a token. */
export const jsonWriter: OutputWriter = {
  findProblems: (output, rules) => findTokenProblems(output, 'json', rules),
  render: ({ token, headers }) =>
    `${JSON.stringify(Object.keys(headers).length > 0 ? { token, headers } : { token })}\n`,
}
