import { vendor } from '../../vendor.ts'
import type { HelperClient } from './client.ts'

/**
 * `apiKeyHelper` in the settings of a coding agent. Seen in public issues about it: it is run again after five minutes, which a
 * variable changes. Not verified: `/bin/sh` runs it as a command; what it prints is sent as `X-Api-Key` and as a bearer token; it
 * is run again after a 401; past ten seconds the agent shows a notice. What becomes of stderr is not known.
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
