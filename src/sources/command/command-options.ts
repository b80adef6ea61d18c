import type { Options, OptionTable } from '../../helper/options/option-table.ts'
import { programOptions } from '../program/program-options.ts'

/** The shapes of a program's output. */
const outputs = ['auto', 'token', 'first-line', 'json', 'exec-credential'] as const

/** The options of a helper that prints the token of a program. */
export const commandOptions = {
  command: {
    value: 'list',
    required: true,
    summary: 'the program that prints the token, by its absolute path or its name, then one argument at a time',
  },
  path: {
    value: 'text',
    summary: 'the PATH on which the program is searched and runs (default: this one, then that of the login shell)',
  },
  ...programOptions,
  output: {
    value: outputs,
    default: 'auto',
    summary:
      'what the program prints: a token; a text whose first line is one; JSON with token and headers; an ExecCredential; or whichever it is (auto)',
  },
  'token-pointer': {
    value: 'text',
    summary: 'where the token is in the JSON that the program prints, as a JSON pointer such as /data/token',
  },
  'expiry-pointer': {
    value: 'text',
    summary: 'where its end is: a date with its zone, seconds or milliseconds since 1970, or seconds from now',
  },
  life: {
    value: 'seconds',
    min: 1,
    summary: 'how long a token lives from now, where neither the output nor the token, as a JWT, says when it ends',
  },
  'sign-in-command': {
    value: 'text',
    maxLength: 300,
    summary: 'what a person runs in a terminal where the program says that nobody is signed in; it is part of the hint',
    cacheKey: 'excluded',
  },
} as const satisfies OptionTable

/** The resolved options of such a helper. */
export type CommandSettings = Options<typeof commandOptions>

/** The facts that header templates may use. */
export const commandFacts = ['issuer', 'subject', 'claims.NAME'] as const
