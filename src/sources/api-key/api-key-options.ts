import type { Options, OptionTable } from '../../helper/options/option-table.ts'
import { vendor } from '../../vendor.ts'

/** The options of a helper that prints a static key. */
export const apiKeyOptions = {
  'key-name': {
    value: 'text',
    default: 'default',
    maxLength: 100,
    summary: 'which key of the keychain, where several are stored',
  },
  'key-file': {
    value: 'path',
    summary: 'a file that holds the key, in place of the keychain; no other user may read it',
  },
  'key-variable': {
    value: 'text',
    names: 'variable',
    summary: `an environment variable that holds the key, in place of the keychain, such as ${vendor.apiKeyVariable}`,
  },
  workspace: {
    value: 'text',
    summary: `the ID of a workspace, for a key that is not bound to one; it is sent as ${vendor.workspaceHeader}`,
  },
  'expires-at': {
    value: 'instant',
    summary: 'when the key expires, for the warnings (default: what was said when it was stored)',
  },
  'base-url': {
    value: 'text',
    summary: "for --verify: the address of the platform's API, such as https://api.example.com",
  },
  verify: {
    value: 'flag',
    only: 'command line',
    summary: 'ask the platform whether it accepts the key, which one it is and what it may do; never print it',
  },
} as const satisfies OptionTable

/** The values of {@link apiKeyOptions}. */
export type ApiKeyOptions = Options<typeof apiKeyOptions>

/** The facts about a key that header templates may use. */
export const apiKeyFacts = ['key_name', 'expires_at'] as const
