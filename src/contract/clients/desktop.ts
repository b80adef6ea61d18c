import { clientDefaults, limits } from '../limits.ts'
import type { HelperClient } from './client.ts'

/**
 * The desktop client that the configuration document is for. Its rules are those of the contract (docs/contract.md); in the
 * middle of a session it waits less, and it can be told not to refresh (`limits.ts`).
 */
export const desktop: HelperClient = {
  title: 'the desktop client',
  format: 'json',
  start: 'arguments',
  request: 'none',
  context: 'told',
  variables: [],
  stdin: 'at-its-end',
  waiting: { timeoutSec: clientDefaults.timeoutSec, timeoutSetting: 'timeoutSec' },
  refresh: {
    intervalSec: clientDefaults.ttlSec,
    intervalSetting: 'ttlSec',
    afterRefusal: 'repeat',
    keptFor: 'session',
  },
  sentAs: ['bearer'],
  headers: 'sent',
  stdoutBytes: limits.stdoutBytes,
  stderrOnSuccess: 'warned',
  onFailure: 'request-lost',
  hosts: 'one-server',
}
