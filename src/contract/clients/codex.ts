import type { HelperClient } from './client.ts'

/**
 * `model_providers.<id>.auth` of OpenAI Codex. Read in openai/codex: `codex-rs/protocol/src/config_types.rs`
 * (`ModelProviderAuthInfo`: settings and defaults; an interval of 0 means only after a 401) and
 * `codex-rs/login/src/auth/external_bearer.rs` (no shell, stdin at its end, stdout trimmed and not empty, stderr only in the
 * message about a failure). It looks at nothing in the output: a JSON document is sent as it is.
 */
export const codex: HelperClient = {
  title: 'OpenAI Codex',
  format: 'token',
  start: 'arguments',
  request: 'none',
  context: 'not-told',
  variables: [],
  stdin: 'at-its-end',
  waiting: { timeoutSec: 5, timeoutSetting: 'timeout_ms' },
  refresh: { intervalSec: 300, intervalSetting: 'refresh_interval_ms', afterRefusal: 'repeat', keptFor: 'session' },
  sentAs: ['bearer'],
  headers: 'not-taken',
  stderrOnSuccess: 'dropped',
  onFailure: 'request-lost',
  hosts: 'one-server',
}
