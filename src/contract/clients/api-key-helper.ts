import { vendor } from '../../vendor.ts'
import type { HelperClient } from './client.ts'

/**
 * `apiKeyHelper` in the settings of a coding agent. Its documentation (pages "Settings" and "Authentication"): a command that
 * `/bin/sh` runs; what it prints is sent as `X-Api-Key` and as a bearer token; it is run again after five minutes, which a
 * variable changes, and after a 401; past ten seconds the agent shows a notice. What becomes of stderr is not documented.
 */
export const apiKeyHelper: HelperClient = {
  title: 'a coding agent with apiKeyHelper',
  format: 'token',
  start: 'shell-line',
  request: 'none',
  context: 'not-told',
  variables: [],
  stdin: 'at-its-end',
  waiting: { noticeSec: 10 },
  refresh: {
    intervalSec: 300,
    intervalSetting: vendor.keyHelperTtlVariable,
    afterRefusal: 'repeat',
    keptFor: 'session',
  },
  sentAs: ['x-api-key', 'bearer'],
  headers: 'not-taken',
  stderrOnSuccess: 'dropped',
  onFailure: 'request-lost',
  hosts: 'one-server',
}
