import { findTokenProblems, type OutputWriter } from './output-writer.ts'

/** The bare token on one line. */
export const tokenWriter: OutputWriter = {
  findProblems: (output, rules) => [
    ...findTokenProblems(output, 'token', rules),
    ...(output.token.startsWith('{') ? ['a bare token that starts with "{" is read as JSON'] : []),
  ],
  render: ({ token }) => `${token}\n`,
}
