import type { Options, OptionTable } from '../../helper/options/option-table.ts'

/** The options of every helper that can sign a person in. */
export const signInOptions = {
  'sign-in': {
    value: ['auto', 'browser', 'device', 'off'],
    default: 'auto',
    summary:
      'how a person signs in: in a browser that opens here, or where none can, with a code in any browser (auto); always one of them; or not at all (off)',
    cacheKey: 'excluded',
  },
  browser: {
    value: 'text',
    summary:
      'the program that opens the sign-in, in place of BROWSER; %s in it stands for the address (default: the browser of the system)',
    cacheKey: 'excluded',
  },
} as const satisfies OptionTable

/** The ways of signing in. `off` is not one of them. */
export type SignInWay = Exclude<Options<typeof signInOptions>['sign-in'], 'off'>
