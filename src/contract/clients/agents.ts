// Folder: one row for each client that runs helpers, with where its facts were read.

import { defineClients, type HelperClient } from '../client.ts'

/**
 * Shared by the clients that start a helper for a bare token and a model's requests. Each row says what differs, and where it was
 * read.
 */
const agent = {
  format: 'token',
  context: 'not-told',
  stdin: 'at-its-end',
  sentAs: ['bearer'],
  headers: 'not-taken',
  stderrOnSuccess: 'dropped',
  hosts: 'one-server',
  entries: 'named',
} as const satisfies Partial<HelperClient>

/** Set by the client for the protocol itself. Model Context Protocol, "Streamable HTTP". */
export const mcpHeaders: readonly string[] = ['accept', 'mcp-session-id', 'mcp-protocol-version', 'last-event-id']

/** Coding agents of other makers, each with where its row was read. */
export const agents = defineClients({
  /**
   * `model_providers.<id>.auth` of OpenAI Codex. Read in openai/codex: `codex-rs/protocol/src/config_types.rs`
   * (`ModelProviderAuthInfo`: settings and defaults; an interval of 0 means only after a 401) and
   * `codex-rs/login/src/auth/external_bearer.rs` (no shell, stdin at its end, stdout trimmed and not empty, stderr only in the
   * message about a failure; one run at a time, and the token is kept for each provider). It does not parse the output: a JSON
   * document is sent as it is.
   */
  codex: {
    ...agent,
    title: 'OpenAI Codex',
    start: 'arguments',
    waiting: { timeoutSec: 5, timeoutSetting: 'timeout_ms' },
    refresh: {
      intervalSec: 300,
      intervalSetting: 'refresh_interval_ms',
      onZeroInterval: 'after-refusal',
      afterRefusal: 'repeat',
      keptFor: 'session',
    },
  },
  /**
   * `mcp_servers.<id>.http_headers_helper` of OpenAI Codex: one line. Described in pull request 25173 of openai/codex, which was not
   * merged as it stood. Not verified in its code: the limits of 10 seconds and 64 KiB, that a name which the protocol sets, or which
   * is there twice, is refused, whether a shell or Codex splits the line, and what follows a 401.
   */
  'codex-mcp': {
    ...agent,
    title: 'OpenAI Codex for MCP servers',
    format: 'headers-json',
    start: 'words',
    waiting: { timeoutSec: 10 },
    refresh: { afterRefusal: 'nothing', keptFor: 'session' },
    sentAs: ['headers'],
    headers: 'sent',
    reservedHeaders: mcpHeaders,
    stdoutBytes: 64 * 1024,
  },
  /**
   * `COPILOT_PROVIDER_API_KEY_COMMAND` of the Copilot CLI. It is proprietary, so its code was not read. Described by programs that
   * configure it: from 1.0.84 on, it runs the command for each request, and again after a 401. Not verified: how long it waits, that a
   * shell reads the line, and what it does with stdin and stderr. The type of its provider decides the header, which for Azure is one
   * of its own.
   */
  copilot: {
    ...agent,
    title: 'the Copilot CLI',
    start: 'shell-line',
    waiting: {},
    refresh: { afterRefusal: 'repeat', keptFor: 'request' },
    sentAs: ['bearer', 'x-api-key'],
    entries: 'one',
  },
  /**
   * `auth` of a custom provider of Goose. Read in aaif-goose/goose: `crates/goose-providers/src/declarative.rs` (`AuthConfig`:
   * settings and defaults, no shell; an interval of 0 means only after an authentication failure), and pull request 11657 (stdin is
   * closed, a 401 always runs it again). That the output is trimmed was not verified.
   */
  goose: {
    ...agent,
    title: 'Goose',
    start: 'arguments',
    waiting: { timeoutSec: 10, timeoutSetting: 'auth.timeout_seconds' },
    refresh: {
      intervalSec: 3600,
      intervalSetting: 'auth.refresh_interval',
      onZeroInterval: 'after-refusal',
      afterRefusal: 'repeat',
      keptFor: 'session',
    },
  },
  /**
   * `providers.<name>.key_cmd` of Hermes. Read in NousResearch/hermes-agent, `agent/command_token_source.py`: a shell reads the line,
   * 15 seconds, one line or an answer of RFC 6749 (`access_token`, and `expires_in`, else `expiry` or `expiresOn`), kept until a minute
   * before that end and for 900 seconds without one; nothing runs after a 401; neither stdout nor stderr is ever shown. Stdin is
   * inherited. Credentials are taken out of the helper's environment, except those that `key_cmd_env` names.
   */
  hermes: {
    ...agent,
    title: 'Hermes',
    format: 'access-token-json',
    start: 'shell-line',
    stdin: 'inherited',
    waiting: { timeoutSec: 15 },
    refresh: { intervalSec: 900, afterRefusal: 'nothing', keptFor: 'session' },
  },
  /**
   * `$(command)` in the `api_key` of a provider of Crush. Read in charmbracelet/crush: `internal/config/resolve.go` (five minutes),
   * `internal/shell/expand.go` (a POSIX shell of its own, on Windows too; stdin is at its end, stderr only in the message about a
   * failure) and `internal/agent/coordinator.go` (run again after a 401, whose request is repeated). It also runs again when its
   * configuration is read again.
   */
  crush: {
    ...agent,
    title: 'Crush',
    start: 'shell-line',
    waiting: { timeoutSec: 300 },
    refresh: { afterRefusal: 'repeat', keptFor: 'session' },
  },
  /**
   * `!command` as the `apiKey` of a provider of pi. Read in badlogic/pi-mono, `packages/coding-agent/src/core/resolve-config-value.ts`
   * of 0.58.3: a shell reads the line, 10 seconds, stdin is at its end, stderr is dropped; what it printed, or that it failed, is
   * kept until the process ends, whatever a server answers. That later versions have a setting for that time was not verified.
   */
  pi: {
    ...agent,
    title: 'pi',
    start: 'shell-line',
    waiting: { timeoutSec: 10 },
    refresh: { afterRefusal: 'nothing', keptFor: 'session' },
  },
})
